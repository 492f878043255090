import { useState } from 'react'
import { NativeSelect, Radio, TextInput } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { IconSearch } from '../../icons/index.ts'
import { useQuery } from '@tanstack/react-query'
import { viewLimits } from '@caretaker/rules/lists/filters.ts'
import { useActor } from '../../api/actor.ts'
import type { ListField, ListSource, ValueGroup } from '../list-source.ts'
import { choicesQuery } from '../queries.ts'
import type { Draft, Mode } from './draft.ts'
import { draftFault, modesOf } from './draft.ts'
import { valueWord } from './words.ts'
import { DayField } from '../../ui/day-field.tsx'
import classes from './filters.module.css'

interface FilterFieldsProps {
  source: ListSource
  field: ListField
  draft: Draft
  onChange: (draft: Draft) => void
}

const modeWords: Record<Mode, string> = {
  anyof: 'is any of',
  noneof: 'is none of',
  contains: 'contains',
  range: 'is between',
  is: 'is',
  present: 'is set',
}

/** The form of a filter, according to the field's type. */
export function FilterFields(props: FilterFieldsProps) {
  const { field, draft, onChange } = props
  const modes = modesOf(field)
  return (
    <div className={classes.fields}>
      {modes.length > 1 && (
        <NativeSelect
          aria-label={`How ${field.label} is compared`}
          data={modes.map((mode) => ({ value: mode, label: modeWords[mode] }))}
          value={draft.mode}
          onChange={(event) => onChange({ ...draft, mode: event.currentTarget.value as Mode })}
        />
      )}
      <Values {...props} />
    </div>
  )
}

function Values(props: FilterFieldsProps) {
  const { source, field, draft, onChange } = props
  if (draft.mode === 'contains')
    return (
      <TextInput
        aria-label={`${field.label} contains`}
        data-autofocus
        maxLength={viewLimits.text}
        value={draft.text}
        onChange={(event) => onChange({ ...draft, text: event.currentTarget.value })}
      />
    )
  if (draft.mode === 'range') return <Range {...props} />
  if (draft.mode === 'is' || draft.mode === 'present')
    return (
      <Radio.Group
        aria-label={field.label}
        value={draft.yes === undefined ? '' : draft.yes ? 'yes' : 'no'}
        onChange={(value) => onChange({ ...draft, yes: value === 'yes' })}
      >
        <div className={classes.list}>
          <Radio size="xs" value="yes" label="Yes" className={classes.radio} />
          <Radio size="xs" value="no" label="No" className={classes.radio} />
        </div>
      </Radio.Group>
    )
  const groups = source.words.groups?.(field.fieldId)
  if (groups) return <Groups {...props} groups={groups} />
  return field.filterSuggestsExhaustive ? <FixedChoices {...props} /> : <FoundChoices {...props} />
}

function Range({ field, draft, onChange }: FilterFieldsProps) {
  const isDate = field.dataType === 'date'
  return (
    <div className={classes.range}>
      {(['from', 'to'] as const).map((end) => {
        const shared = {
          label: end === 'from' ? 'From' : 'To',
          value: draft[end],
          error: end === 'to' ? draftFault(field, draft) : undefined,
        }
        const change = (value: string) => onChange({ ...draft, [end]: value })
        return isDate ? (
          <DayField key={end} {...shared} withinPortal={false} onChange={change} />
        ) : (
          <TextInput
            key={end}
            inputMode="decimal"
            {...shared}
            onChange={(event) => change(event.currentTarget.value)}
          />
        )
      })}
    </div>
  )
}

/** The values with or without the given ones. */
const withValues = (draft: Draft, values: readonly string[], isIn: boolean): Draft => {
  const rest = draft.values.filter((value) => !values.includes(value))
  return { ...draft, values: isIn ? [...rest, ...values].slice(0, viewLimits.values) : rest }
}

/** Groups first, because they are used most; exact values are below. */
function Groups({ source, field, draft, onChange, groups }: FilterFieldsProps & { groups: readonly ValueGroup[] }) {
  const picked = ({ values }: ValueGroup) => values.filter((value) => draft.values.includes(value)).length
  const isWhole = (group: ValueGroup) => picked(group) === group.values.length
  const inParts = groups.some((group) => picked(group) > 0 && !isWhole(group))
  return (
    <>
      <div className={classes.list}>
        {groups.map((group) => (
          <label key={group.id} className={classes.choice}>
            <input
              type="checkbox"
              className={classes.box}
              aria-label={group.label}
              checked={isWhole(group)}
              ref={(box) => {
                if (box) box.indeterminate = picked(group) > 0 && !isWhole(group)
              }}
              onChange={() => onChange(withValues(draft, group.values, !isWhole(group)))}
            />
            {source.groupSign?.(field.fieldId, group.id, 'choice') ?? group.label}
          </label>
        ))}
      </div>
      <details className={classes.exact} open={inParts || undefined}>
        <summary>{`Exact ${source.words.plural?.(field.fieldId) ?? 'values'}`}</summary>
        <div className={classes.list}>
          {groups
            .flatMap(({ values }) => values)
            .map((value) => (
              <Choice
                key={value}
                value={value}
                word={valueWord(field, value, source.words)}
                draft={draft}
                onChange={onChange}
              />
            ))}
        </div>
      </details>
    </>
  )
}

function FixedChoices({ source, field, draft, onChange }: FilterFieldsProps) {
  const { possible, words } = source
  const word = (value: string) => words.choiceWord?.(field.fieldId, value) ?? valueWord(field, value, words)
  return (
    <div className={classes.list}>
      {(possible?.(field.fieldId) ?? field.choices ?? []).map((value) => (
        <Choice key={value} value={value} word={word(value)} draft={draft} onChange={onChange} />
      ))}
    </div>
  )
}

/** Values that occur in the list, found while typing; selected ones stay visible above. */
function FoundChoices({ source, field, draft, onChange }: FilterFieldsProps) {
  const { tenant } = useActor()
  const [search, setSearch] = useState('')
  const [sought] = useDebouncedValue(search.trim(), 200)
  const { data, isError } = useQuery(choicesQuery(tenant, source, field.fieldId, sought))
  const [chosenFirst] = useState(draft.values)
  const found = (data ?? []).filter((value) => !chosenFirst.includes(value))
  return (
    <>
      <TextInput
        type="search"
        aria-label={`Find ${field.label.toLowerCase()}`}
        placeholder="Find"
        data-autofocus
        leftSection={<IconSearch size={16} aria-hidden />}
        maxLength={viewLimits.text}
        value={search}
        onChange={(event) => setSearch(event.currentTarget.value)}
      />
      <div className={classes.list} data-long>
        {[...chosenFirst, ...found].map((value) => (
          <Choice key={value} value={value} word={value} draft={draft} onChange={onChange} />
        ))}
        {data && found.length === 0 && chosenFirst.length === 0 && <p className={classes.note}>Nothing found</p>}
        {data && data.length >= 100 && <p className={classes.note}>Type to find more</p>}
        {isError && <p className={classes.note}>Failed to Load</p>}
      </div>
    </>
  )
}

interface ChoiceProps {
  value: string
  word: string
  draft: Draft
  onChange: (draft: Draft) => void
}

function Choice({ value, word, draft, onChange }: ChoiceProps) {
  const isIn = draft.values.includes(value)
  return (
    <label className={classes.choice}>
      <input
        type="checkbox"
        className={classes.box}
        checked={isIn}
        onChange={() => onChange(withValues(draft, [value], !isIn))}
      />
      <span className={classes.word}>{word}</span>
    </label>
  )
}
