import { isDay } from '../calendar/days.ts'
import type { FieldDefinition, FilterOp } from './fields.ts'

/** A condition on the rows of a listing; all conditions must match. */
export interface Filter {
  fieldId: string
  filterOp: FilterOp
  value: string | number | boolean | readonly string[]
}

/** A sort field; earlier ones take precedence. */
export interface Sort {
  fieldId: string
  descending: boolean
}

/** Maximum filters, sorts and values per filter of a listing. */
export const viewLimits = { filters: 20, sorts: 5, values: 100, text: 200, columns: 40, label: 60 } as const

/** Days that a date can be compared with; beyond the limits of the calendar there are no instants. */
const [firstDay, lastDay] = ['1900-01-01', '2999-12-31']

/** The validation error of a filter for these fields, or undefined. */
export function filterFault(filter: Filter, known: readonly FieldDefinition[]): string | undefined {
  const field = known.find((one) => one.fieldId === filter.fieldId)
  if (!field) return `There is no field '${filter.fieldId}' here`
  if (!field.viewFilterable) return `'${field.label}' cannot be filtered by`
  if (!field.filterOps.includes(filter.filterOp)) return `'${field.label}' cannot be compared by '${filter.filterOp}'`
  return valueFault(filter, field)
}

function valueFault({ filterOp, value }: Filter, { dataType, label }: FieldDefinition): string | undefined {
  if (filterOp === 'anyof' || filterOp === 'noneof')
    return Array.isArray(value) && value.length > 0 ? undefined : `'${label}' needs a list of values`
  if (filterOp === 'present') return typeof value === 'boolean' ? undefined : `'${label}' needs yes or no`
  const fits = {
    string: typeof value === 'string',
    stringarray: typeof value === 'string',
    number: typeof value === 'number' && Number.isFinite(value),
    date: isDay(value) && value >= firstDay && value <= lastDay,
    bool: typeof value === 'boolean',
  }[dataType]
  const needs = { string: 'a text', stringarray: 'a text', number: 'a number', date: 'a day', bool: 'yes or no' }
  return fits ? undefined : `'${label}' needs ${needs[dataType]}`
}

/** The validation error of a sort for these fields, or undefined. */
export function sortFault(sort: Sort, known: readonly FieldDefinition[]): string | undefined {
  const field = known.find((one) => one.fieldId === sort.fieldId)
  if (!field) return `There is no field '${sort.fieldId}' here`
  return field.sortable ? undefined : `'${field.label}' cannot be sorted by`
}

/** A filter in canonical form, so that equal filters produce equal texts. */
function canonical(filter: Filter): string {
  const { fieldId, filterOp, value } = filter
  return JSON.stringify([fieldId, filterOp, Array.isArray(value) ? [...(value as string[])].sort() : value])
}

/** Whether two sets of filters are equal, regardless of order. */
export function sameFilters(a: readonly Filter[], b: readonly Filter[]): boolean {
  const left = a.map(canonical).sort()
  const right = b.map(canonical).sort()
  return left.length === right.length && left.every((one, at) => one === right[at])
}
