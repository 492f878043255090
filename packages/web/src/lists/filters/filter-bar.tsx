import { Fragment, useState } from 'react'
import type { FormEvent, ReactNode } from 'react'
import { Button, Popover } from '@mantine/core'
import { IconPlus, IconX } from '../../icons/index.ts'
import type { Filter } from '@caretaker/rules/lists/filters.ts'
import { viewLimits } from '@caretaker/rules/lists/filters.ts'
import type { ListField, ListSource } from '../list-source.ts'
import type { ListState } from '../list-state.ts'
import { draftFault, draftOf, filtersOf, withFilters } from './draft.ts'
import { FilterFields } from './filter-fields.lazy.tsx'
import type { Chip } from './words.ts'
import { chipsOf } from './words.ts'
import classes from './filters.module.css'

/** The filters of a list as chips, which open for editing. */
export function FilterBar({ state }: { state: ListState }) {
  const { source, filters, fields, set, scope, setScope, conditions } = state
  const change = (old: readonly Filter[], next: readonly Filter[]) => set({ filters: withFilters(filters, old, next) })
  // Filters from the list's own parameter; the subject of the page is in the menu of the title.
  const extraFilters = scope?.extraFilters.filter((filter) => conditions.includes(filter)) ?? []
  return (
    <div className={classes.bar} role="group" aria-label="Filters">
      {chipsOf(extraFilters, fields, source.words).map((chip) => (
        <span key={chip.field.fieldId} className={classes.chip}>
          <ChipText source={source} chip={chip} />
          <RemoveButton label={chip.field.label} onPress={() => setScope(scope?.bare)} />
        </span>
      ))}
      {chipsOf(filters, fields, source.words).map((chip, index) => (
        <FilterChip
          key={`${chip.field.fieldId} ${index}`}
          source={source}
          chip={chip}
          onChange={(next) => change(chip.filters, next)}
        />
      ))}
      {filters.length < viewLimits.filters && (
        <AddFilter source={source} fields={fields} onAdd={(next) => change([], next)} />
      )}
      {(filters.length > 0 || extraFilters.length > 0) && (
        <Button variant="subtle" color="gray" className={classes.clear} onClick={state.clearFilters}>
          Clear all
        </Button>
      )}
    </div>
  )
}

interface FilterChipProps {
  source: ListSource
  chip: Chip
  onChange: (filters: Filter[]) => void
}

function FilterChip({ source, chip, onChange }: FilterChipProps) {
  const [opened, setOpened] = useState(false)
  return (
    <span className={classes.chip}>
      <EditorPopover
        source={source}
        field={chip.field}
        filters={chip.filters}
        opened={opened}
        onClose={() => setOpened(false)}
        onChange={onChange}
      >
        <button
          type="button"
          className={classes.open}
          aria-haspopup="dialog"
          aria-expanded={opened}
          onClick={() => setOpened(!opened)}
        >
          <ChipText source={source} chip={chip} />
        </button>
      </EditorPopover>
      <RemoveButton label={chip.field.label} onPress={() => onChange([])} />
    </span>
  )
}

function ChipText({ source, chip }: { source: ListSource; chip: Chip }) {
  return (
    <>
      <span className={classes.part}>{chip.field.label}</span>
      <span className={classes.relation}>{chip.relation}</span>
      <span className={classes.value} title={chip.value}>
        {chip.groups?.map(({ id }) => (
          <Fragment key={id}>{source.groupSign?.(chip.field.fieldId, id, 'chip')}</Fragment>
        ))}
        <span>{chip.value}</span>
      </span>
    </>
  )
}

function RemoveButton({ label, onPress }: { label: string; onPress: () => void }) {
  return (
    <button type="button" className={classes.remove} aria-label={`Remove filter ${label}`} onClick={onPress}>
      <IconX size={14} aria-hidden />
    </button>
  )
}

interface AddFilterProps {
  source: ListSource
  fields: readonly ListField[]
  onAdd: (filters: Filter[]) => void
}

/** First the field, then its values. */
function AddFilter({ source, fields, onAdd }: AddFilterProps) {
  const [opened, setOpened] = useState(false)
  const [field, setField] = useState<ListField>()
  const offered = fields.filter((one) => one.viewFilterable && one.viewable)
  const close = () => {
    setOpened(false)
    setField(undefined)
  }
  const button = (
    <Button
      variant="subtle"
      color="gray"
      leftSection={<IconPlus size={16} aria-hidden />}
      aria-haspopup="dialog"
      aria-expanded={opened}
      onClick={() => (opened ? close() : setOpened(true))}
    >
      Filter
    </Button>
  )
  if (field)
    return (
      <EditorPopover source={source} field={field} filters={[]} opened={opened} onClose={close} onChange={onAdd}>
        {button}
      </EditorPopover>
    )
  return (
    <Popover opened={opened} onChange={setOpened} position="bottom-start" trapFocus returnFocus withRoles={false}>
      <Popover.Target>{button}</Popover.Target>
      <Popover.Dropdown role="dialog" aria-label="Filter by" className={classes.picker}>
        {offered.map((one) => (
          <button key={one.fieldId} type="button" className={classes.field} onClick={() => setField(one)}>
            {one.label}
          </button>
        ))}
      </Popover.Dropdown>
    </Popover>
  )
}

interface EditorPopoverProps {
  source: ListSource
  field: ListField
  filters: readonly Filter[]
  opened: boolean
  onClose: () => void
  onChange: (filters: Filter[]) => void
  children: ReactNode
}

function EditorPopover({ opened, onClose, children, ...editor }: EditorPopoverProps) {
  return (
    <Popover
      opened={opened}
      onChange={(open) => !open && onClose()}
      position="bottom-start"
      width={280}
      trapFocus
      returnFocus
      withRoles={false}
    >
      <Popover.Target>{children}</Popover.Target>
      <Popover.Dropdown role="dialog" aria-label={`Filter by ${editor.field.label}`} className={classes.dropdown}>
        <Editor {...editor} onClose={onClose} />
      </Popover.Dropdown>
    </Popover>
  )
}

function Editor({ source, field, filters, onClose, onChange }: Omit<EditorPopoverProps, 'opened' | 'children'>) {
  const [draft, setDraft] = useState(() => draftOf(field, filters))
  const next = filtersOf(field, draft)
  const apply = (event: FormEvent) => {
    event.preventDefault()
    if (draftFault(field, draft)) return
    onClose()
    onChange(next)
  }
  return (
    <form className={classes.editor} onSubmit={apply}>
      <p className={classes.name}>{field.label}</p>
      <FilterFields source={source} field={field} draft={draft} onChange={setDraft} />
      <div className={classes.actions}>
        <Button variant="default" onClick={onClose}>
          Cancel
        </Button>
        <Button type="submit" disabled={next.length === 0 && filters.length === 0}>
          Apply
        </Button>
      </div>
    </form>
  )
}
