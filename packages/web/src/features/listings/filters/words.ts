import { connectionWords } from '@caretaker/rules/devices/connection.ts'
import type { Product } from '@caretaker/rules/devices/products.ts'
import { products } from '@caretaker/rules/devices/products.ts'
import type { DeviceStatus, DisplayGroup } from '@caretaker/rules/devices/status.ts'
import { deviceStatuses, displayGroup, displayGroupWords, statusWords } from '@caretaker/rules/devices/status.ts'
import { dayText } from '@caretaker/rules/calendar/days.ts'
import type { DeviceField, FieldId } from '@caretaker/rules/devices/list.ts'
import type { Monitoring } from '@caretaker/rules/devices/monitoring.ts'
import { monitoringWords } from '@caretaker/rules/devices/monitoring.ts'
import type { DataType } from '@caretaker/rules/lists/fields.ts'
import type { Filter, FilterOp } from '@caretaker/rules/lists/filters.ts'

/** A value of a field as people read it. */
export function valueWord(fieldId: FieldId, dataType: DataType, value: string | number | boolean): string {
  if (typeof value === 'boolean') return value ? 'Yes' : 'No'
  if (typeof value === 'number') return value.toLocaleString('en-GB')
  if (dataType === 'date') return dayText(value)
  if (fieldId === 'status') return statusWords(value)
  if (fieldId === 'product') return value in products ? products[value as Product].name : value
  if (fieldId === 'connection') return connectionWords[value as keyof typeof connectionWords] ?? value
  if (fieldId === 'monitoring') return monitoringWords[value as Monitoring] ?? value
  return value
}

/** How a filter compares, in the words of a chip: between the field and the value. */
export function relationWord(op: FilterOp, dataType: DataType): string {
  if (op === 'present') return 'is set'
  if (op === 'from') return dataType === 'date' ? 'from' : 'at least'
  if (op === 'to') return dataType === 'date' ? 'until' : 'at most'
  return { equals: 'is', anyof: 'is any of', noneof: 'is none of', contains: 'contains' }[op]
}

/** A chip: one filter, or the two ends of a range of one field. */
export interface Chip {
  field: DeviceField
  filters: readonly Filter[]
  relation: string
  value: string
  /** The groups that statuses make up, where they make up whole ones. */
  groups?: readonly DisplayGroup[]
}

/** Filters as chips, in their order. */
export function chipsOf(filters: readonly Filter[], fields: readonly DeviceField[]): Chip[] {
  const chips: Chip[] = []
  const seen = new Set<Filter>()
  for (const filter of filters) {
    const field = fields.find(({ fieldId }) => fieldId === filter.fieldId)
    if (!field || seen.has(filter)) continue
    const other = filters.find((one) => one.fieldId === filter.fieldId && isOtherEnd(one, filter) && !seen.has(one))
    const parts = other ? [filter, other] : [filter]
    for (const part of parts) seen.add(part)
    chips.push(other ? rangeChip(field, parts) : chipOf(field, filter))
  }
  return chips
}

const isOtherEnd = (one: Filter, filter: Filter) =>
  (one.filterOp === 'from' && filter.filterOp === 'to') || (one.filterOp === 'to' && filter.filterOp === 'from')

function rangeChip(field: DeviceField, filters: readonly Filter[]): Chip {
  const end = (op: FilterOp) => {
    const { value } = filters.find(({ filterOp }) => filterOp === op)!
    return valueWord(field.fieldId, field.dataType, value as string | number)
  }
  return { field, filters, relation: 'between', value: `${end('from')} – ${end('to')}` }
}

function chipOf(field: DeviceField, filter: Filter): Chip {
  const { fieldId, dataType } = field
  const values = [filter.value].flat() as (string | number | boolean)[]
  const groups = fieldId === 'status' && filter.filterOp !== 'contains' ? wholeGroups(values as string[]) : undefined
  const isOne = values.length === 1 || groups?.length === 1
  const op = isOne && filter.filterOp === 'anyof' ? 'equals' : filter.filterOp
  const relation = isOne && op === 'noneof' ? 'is not' : relationWord(op, dataType)
  const words =
    groups?.map((group) => displayGroupWords[group]) ?? values.map((one) => valueWord(fieldId, dataType, one))
  const many = groups ? `${words.length} groups` : `${words.length} values`
  return {
    field,
    filters: [filter],
    relation,
    value: words.length > 2 ? many : words.join(', '),
    ...(groups ? { groups } : {}),
  }
}

/** The groups in the order in which charts of status have them. */
export const groupsInOrder: readonly DisplayGroup[] = ['Passed', 'Warning', 'Failed', 'FailedDevice', 'NotInstalled']

/** The statuses of a group that devices have. */
export function statusesOf(group: DisplayGroup): DeviceStatus[] {
  return deviceStatuses.filter((status) => displayGroup(status) === group)
}

/** The groups that some statuses make up; undefined when they make up no whole ones. */
export function wholeGroups(statuses: readonly string[]): DisplayGroup[] | undefined {
  const wanted = new Set(statuses)
  const whole = groupsInOrder.filter((group) => statusesOf(group).every((status) => wanted.has(status)))
  const covered = whole.flatMap(statusesOf).length
  return whole.length > 0 && covered === wanted.size ? whole : undefined
}
