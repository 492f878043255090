import { isDay } from '@caretaker/rules/calendar/days.ts'
import type { Filter } from '@caretaker/rules/lists/filters.ts'
import type { ListField } from '../list-source.ts'

/** The comparisons of a field in a form: a range includes both ends. */
export type Mode = 'anyof' | 'noneof' | 'contains' | 'range' | 'is' | 'present'

/** A filter of one field while it is being edited. */
export interface Draft {
  mode: Mode
  values: readonly string[]
  text: string
  from: string
  to: string
  /** For a yes/no field; undefined while nothing is chosen. */
  yes: boolean | undefined
}

/** The comparisons of a field, the usual one first. */
export function modesOf({ dataType, filterOps: ops, filterSuggestsExhaustive }: ListField): Mode[] {
  const modes: Mode[] = []
  if (ops.includes('anyof')) modes.push('anyof', 'noneof')
  if (ops.includes('contains') && !filterSuggestsExhaustive) modes.push('contains')
  if (ops.includes('from')) modes.push('range')
  if (dataType === 'bool') modes.push('is')
  if (ops.includes('present') && !filterSuggestsExhaustive) modes.push('present')
  return modes
}

/** The initial form values: the filters of the field, or nothing. */
export function draftOf(field: ListField, filters: readonly Filter[]): Draft {
  const empty: Draft = { mode: modesOf(field)[0]!, values: [], text: '', from: '', to: '', yes: undefined }
  const [first] = filters
  if (!first) return empty
  const { filterOp, value } = first
  if (filterOp === 'anyof' || filterOp === 'noneof') return { ...empty, mode: filterOp, values: value as string[] }
  if (filterOp === 'contains') return { ...empty, mode: 'contains', text: String(value) }
  if (typeof value === 'boolean') return { ...empty, mode: filterOp === 'present' ? 'present' : 'is', yes: value }
  if (field.dataType === 'string' || field.dataType === 'stringarray')
    return { ...empty, mode: 'anyof', values: [String(value)] }
  const end = (op: 'from' | 'to') =>
    String(filters.find((one) => one.filterOp === op || one.filterOp === 'equals')?.value ?? '')
  return { ...empty, mode: 'range', from: end('from'), to: end('to') }
}

/** The filters of a form; empty for an empty form. */
export function filtersOf({ fieldId, dataType }: ListField, draft: Draft): Filter[] {
  const { mode, values, yes } = draft
  if (mode === 'anyof' || mode === 'noneof')
    return values.length > 0 ? [{ fieldId, filterOp: mode, value: [...values] }] : []
  if (mode === 'contains') {
    const text = draft.text.trim()
    return text ? [{ fieldId, filterOp: 'contains', value: text }] : []
  }
  if (mode === 'range')
    return (['from', 'to'] as const).flatMap((filterOp) => {
      const value = endOf(draft[filterOp], dataType === 'number')
      return value === undefined ? [] : [{ fieldId, filterOp, value }]
    })
  return yes === undefined ? [] : [{ fieldId, filterOp: mode === 'present' ? 'present' : 'equals', value: yes }]
}

function endOf(text: string, isNumber: boolean): string | number | undefined {
  if (!isNumber) return isDay(text) ? text : undefined
  return text.trim() !== '' && Number.isFinite(Number(text)) ? Number(text) : undefined
}

/** The error of a form, or undefined. */
export function draftFault({ dataType }: ListField, { mode, from, to }: Draft): string | undefined {
  if (mode !== 'range') return undefined
  const [first, last] = [endOf(from, dataType === 'number'), endOf(to, dataType === 'number')]
  if (dataType === 'number' && ((from && first === undefined) || (to && last === undefined))) return 'Enter a number'
  if (dataType === 'date' && [from, to].some((day) => day !== '' && !isDay(day))) return 'Enter a date as DD/MM/YYYY'
  return first !== undefined && last !== undefined && first > last ? 'The end is before the beginning' : undefined
}

/** All filters, with one field's filters replaced at the position of the first. */
export function withFilters(all: readonly Filter[], replaced: readonly Filter[], next: readonly Filter[]): Filter[] {
  const at = all.findIndex((filter) => replaced.includes(filter))
  const rest = all.filter((filter) => !replaced.includes(filter))
  return at < 0 ? [...rest, ...next] : [...rest.slice(0, at), ...next, ...rest.slice(at)]
}
