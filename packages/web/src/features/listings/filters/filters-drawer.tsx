import { useState } from 'react'
import { Button, Drawer } from '@mantine/core'
import { IconFilter } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import type { DeviceField } from '@caretaker/rules/devices/list.ts'
import type { Filter } from '@caretaker/rules/lists/filters.ts'
import { useActor } from '../../../api/actor.ts'
import { pageOf } from '../listing-state.ts'
import type { ListingState } from '../listing-state.ts'
import { listingQuery } from '../queries.ts'
import type { Draft } from './draft.ts'
import { draftFault, draftOf, filtersOf } from './draft.ts'
import { FilterFields } from './filter-fields.lazy.tsx'
import { chipsOf } from './words.ts'
import classes from './filters.module.css'

/** On a phone all filters are in one drawer, and hold when it is left by its button. */
export function FiltersButton({ state }: { state: ListingState }) {
  const [opened, setOpened] = useState(false)
  const count = chipsOf(state.conditions, state.fields).length
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

function Filters({ state, onClose }: { state: ListingState; onClose: () => void }) {
  const { tenant } = useActor()
  const { listing, fields, filters, bcm } = state
  const offered = fields.filter((one) => one.viewFilterable && one.viewable)
  // Statuses first: they are what one looks for.
  const ordered = [...offered].sort((a, b) => Number(b.fieldId === 'status') - Number(a.fieldId === 'status'))
  const start = bcm?.options ? state.conditions.filter(({ fieldId }) => fieldId !== 'monitoring') : filters
  const chips = chipsOf(start, fields)
  const editedOf = (field: DeviceField) => chips.find((chip) => chip.field === field)?.filters ?? []
  const [drafts, setDrafts] = useState(
    () => new Map(ordered.map((field) => [field.fieldId, draftOf(field, editedOf(field))])),
  )
  // A second filter of a field, and one of a field that nobody can fill in here, stay as they are.
  const kept = start.filter((filter) => !ordered.some((field) => editedOf(field).includes(filter)))
  const next = [...kept, ...ordered.flatMap((field) => filtersOf(field, drafts.get(field.fieldId)!))]
  const wrong = ordered.some((field) => draftFault(field, drafts.get(field.fieldId)!))
  const { data } = useQuery(listingQuery(tenant, listing, pageOf(state, next)))
  const show = (shown: Filter[]) => {
    onClose()
    if (bcm?.options) state.setBcm({ type: bcm.type }, { filters: shown })
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
  state: ListingState
  field: DeviceField
  draft: Draft
  onChange: (draft: Draft) => void
}

function Section({ state, field, draft, onChange }: SectionProps) {
  const [chip] = chipsOf(filtersOf(field, draft), state.fields)
  const [open, setOpen] = useState(field.fieldId === 'status' || chip !== undefined)
  return (
    <details className={classes.section} open={open} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>
        <span>{field.label}</span>
        {chip && <span className={classes.summary}>{`${chip.relation} ${chip.value}`}</span>}
      </summary>
      {open && <FilterFields listing={state.listing} field={field} draft={draft} onChange={onChange} />}
    </details>
  )
}
