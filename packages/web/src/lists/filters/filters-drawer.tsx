import { useState } from 'react'
import { Button, Drawer } from '@mantine/core'
import { IconFilter } from '../../icons/index.ts'
import { useQuery } from '@tanstack/react-query'
import type { Filter } from '@caretaker/rules/lists/filters.ts'
import { useActor } from '../../api/actor.ts'
import type { ListField } from '../list-source.ts'
import { pageOf } from '../list-state.ts'
import type { ListState } from '../list-state.ts'
import { pageQuery } from '../queries.ts'
import type { Draft } from './draft.ts'
import { draftFault, draftOf, filtersOf } from './draft.ts'
import { FilterFields } from './filter-fields.lazy.tsx'
import { chipsOf } from './words.ts'
import classes from './filters.module.css'

/** On a phone all filters are in one drawer and apply when it is closed by its button. */
export function FiltersButton({ state }: { state: ListState }) {
  const [opened, setOpened] = useState(false)
  const count = chipsOf(state.conditions, state.fields, state.source.words).length
  return (
    <>
      <Button
        variant="default"
        leftSection={<IconFilter size={16} aria-hidden />}
        {...(count > 0 ? { rightSection: <span className={classes.badge}>{count}</span> } : {})}
        onClick={() => setOpened(true)}
      >
        Filters
      </Button>
      <Drawer opened={opened} onClose={() => setOpened(false)} title="Filters" classNames={drawerClasses}>
        <Filters state={state} onClose={() => setOpened(false)} />
      </Drawer>
    </>
  )
}

const drawerClasses = { content: classes.drawer, body: classes.drawerBody, title: classes.drawerTitle }

function Filters({ state, onClose }: { state: ListState; onClose: () => void }) {
  const { tenant } = useActor()
  const { source, fields, filters, scope } = state
  const offered = fields.filter((one) => one.viewFilterable && one.viewable)
  // Fields with groups, such as statuses, are first.
  const isFirst = ({ fieldId }: ListField) => source.words.groups?.(fieldId) !== undefined
  const ordered = [...offered].sort((a, b) => Number(isFirst(b)) - Number(isFirst(a)))
  const extraFilters = scope?.extraFilters ?? []
  const start = extraFilters.length > 0 ? state.conditions.filter((filter) => !scope?.about.includes(filter)) : filters
  const chips = chipsOf(start, fields, source.words)
  const editedOf = (field: ListField) => chips.find((chip) => chip.field === field)?.filters ?? []
  const [drafts, setDrafts] = useState(
    () => new Map(ordered.map((field) => [field.fieldId, draftOf(field, editedOf(field))])),
  )
  // A second filter of a field, and filters that cannot be edited here, are kept.
  const kept = start.filter((filter) => !ordered.some((field) => editedOf(field).includes(filter)))
  const next = [...kept, ...ordered.flatMap((field) => filtersOf(field, drafts.get(field.fieldId)!))]
  const wrong = ordered.some((field) => draftFault(field, drafts.get(field.fieldId)!))
  const { data } = useQuery(pageQuery(tenant, source, pageOf(state, next)))
  const show = (shown: Filter[]) => {
    onClose()
    if (extraFilters.length > 0) state.setScope(scope?.bare, { filters: shown })
    else state.set({ filters: shown })
  }
  return (
    <>
      <div className={classes.sections}>
        {ordered.map((field) => (
          <Section
            key={field.fieldId}
            state={state}
            field={field}
            draft={drafts.get(field.fieldId)!}
            onChange={(draft) => setDrafts(new Map(drafts).set(field.fieldId, draft))}
          />
        ))}
      </div>
      <div className={classes.foot}>
        <Button variant="default" onClick={() => show([])}>
          Clear all
        </Button>
        <Button disabled={wrong} onClick={() => show(next)}>
          {data ? `Show ${data.total.toLocaleString('en-GB')}` : 'Show'}
        </Button>
      </div>
    </>
  )
}

interface SectionProps {
  state: ListState
  field: ListField
  draft: Draft
  onChange: (draft: Draft) => void
}

function Section({ state, field, draft, onChange }: SectionProps) {
  const [chip] = chipsOf(filtersOf(field, draft), state.fields, state.source.words)
  const [open, setOpen] = useState(state.source.words.groups?.(field.fieldId) !== undefined || chip !== undefined)
  return (
    <details className={classes.section} open={open} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>
        <span>{field.label}</span>
        {chip && <span className={classes.summary}>{`${chip.relation} ${chip.value}`}</span>}
      </summary>
      {open && <FilterFields source={state.source} field={field} draft={draft} onChange={onChange} />}
    </details>
  )
}
