import { dayText } from '@caretaker/rules/calendar/days.ts'
import type { DataType } from '@caretaker/rules/lists/fields.ts'
import type { FilterOp } from '@caretaker/rules/lists/fields.ts'
import type { Filter } from '@caretaker/rules/lists/filters.ts'
import type { FieldWords, ListField, ValueGroup } from '../list-source.ts'

/** A value of a field in words. */
export function valueWord(
  { fieldId, dataType }: Pick<ListField, 'fieldId' | 'dataType'>,
  value: string | number | boolean,
  words: FieldWords,
): string {
  if (typeof value === 'boolean') return value ? 'Yes' : 'No'
  if (typeof value === 'number') return value.toLocaleString('en-GB')
  return dataType === 'date' ? dayText(value) : (words.word?.(fieldId, value) ?? value)
}

/** The comparison in the text of a chip, between field and value. */
export function relationWord(op: FilterOp, dataType: DataType): string {
  if (op === 'present') return 'is set'
  if (op === 'from') return dataType === 'date' ? 'from' : 'at least'
  if (op === 'to') return dataType === 'date' ? 'until' : 'at most'
  return { equals: 'is', anyof: 'is any of', noneof: 'is none of', contains: 'contains' }[op]
}

/** A chip: one filter, or both ends of a range. */
export interface Chip {
  field: ListField
  filters: readonly Filter[]
  relation: string
  value: string
  /** The groups that the values form, if they form whole groups. */
  groups?: readonly ValueGroup[]
}

/** Filters as chips, in their order. */
export function chipsOf(filters: readonly Filter[], fields: readonly ListField[], words: FieldWords): Chip[] {
  const chips: Chip[] = []
  const seen = new Set<Filter>()
  for (const filter of filters) {
    const field = fields.find(({ fieldId }) => fieldId === filter.fieldId)
    if (!field || seen.has(filter)) continue
    const other = filters.find((one) => one.fieldId === filter.fieldId && isOtherEnd(one, filter) && !seen.has(one))
    const parts = other ? [filter, other] : [filter]
    for (const part of parts) seen.add(part)
    chips.push(other ? rangeChip(field, parts, words) : chipOf(field, filter, words))
  }
  return chips
}

const isOtherEnd = (one: Filter, filter: Filter) =>
  (one.filterOp === 'from' && filter.filterOp === 'to') || (one.filterOp === 'to' && filter.filterOp === 'from')

function rangeChip(field: ListField, filters: readonly Filter[], words: FieldWords): Chip {
  const end = (op: FilterOp) => {
    const { value } = filters.find(({ filterOp }) => filterOp === op)!
    return valueWord(field, value as string | number, words)
  }
  return { field, filters, relation: 'between', value: `${end('from')} – ${end('to')}` }
}

function chipOf(field: ListField, filter: Filter, words: FieldWords): Chip {
  const values = [filter.value].flat() as (string | number | boolean)[]
  const known = filter.filterOp === 'contains' ? undefined : words.groups?.(field.fieldId)
  const groups = known && wholeGroups(values as string[], known)
  const isOne = values.length === 1 || groups?.length === 1
  const op = isOne && filter.filterOp === 'anyof' ? 'equals' : filter.filterOp
  const relation = isOne && op === 'noneof' ? 'is not' : relationWord(op, field.dataType)
  const labels = groups?.map(({ label }) => label) ?? values.map((one) => valueWord(field, one, words))
  const many = groups ? `${labels.length} groups` : `${labels.length} values`
  return {
    field,
    filters: [filter],
    relation,
    value: labels.length > 2 ? many : labels.join(', '),
    ...(groups ? { groups } : {}),
  }
}

/** The groups that values form; undefined if they do not form whole groups. */
export function wholeGroups(values: readonly string[], groups: readonly ValueGroup[]): ValueGroup[] | undefined {
  const wanted = new Set(values)
  const whole = groups.filter((group) => group.values.every((value) => wanted.has(value)))
  const covered = whole.flatMap((group) => group.values).length
  return whole.length > 0 && covered === wanted.size ? whole : undefined
}
