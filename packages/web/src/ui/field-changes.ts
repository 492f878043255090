import { dayText, isDay } from '@caretaker/rules/calendar/days.ts'
import { detailLabels } from '@caretaker/rules/properties/details.ts'
import { dateTimeText } from './age.ts'

/** The change of one field, in words. */
export interface FieldChange {
  field: string
  before: string
  after: string
}

const nothing = '–'

/** The changes, one per field, with instants in a zone; `before` is null for a new value, `after` for a removed one. */
export function fieldChanges(
  before: Record<string, unknown> | null,
  after: Record<string, unknown> | null,
  zone: string,
): FieldChange[] {
  const [old, now] = [flat(before ?? {}), flat(after ?? {})]
  return [...new Set([...Object.keys(old), ...Object.keys(now)])].map((name) => ({
    field: fieldWords(name),
    before: valueWords(old[name], zone),
    after: valueWords(now[name], zone),
  }))
}

/** A change as one line, for a list. */
export function changeLine(changes: readonly FieldChange[]): string {
  return changes.map(({ field, before, after }) => `${field}: ${arrow(before, after)}`).join('; ')
}

function arrow(before: string, after: string): string {
  if (before === nothing) return after
  return after === nothing ? `${before} removed` : `${before} → ${after}`
}

/** Nested fields by their path. */
function flat(record: Record<string, unknown>, prefix = ''): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(record).flatMap(([name, value]) =>
      isRecord(value) ? Object.entries(flat(value, `${prefix}${name}.`)) : [[`${prefix}${name}`, value]],
    ),
  )
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** The label on the property page; otherwise 'accessRightsTag' becomes 'Access rights tag'. */
function fieldWords(name: string): string {
  const label = detailLabels[name]
  if (label !== undefined) return label
  const words = name
    .replaceAll(/[._]/g, ' ')
    .replaceAll(/(?<=[a-z0-9])[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)
    .trim()
  return words.charAt(0).toUpperCase() + words.slice(1)
}

function valueWords(value: unknown, zone: string): string {
  if (value === null || value === undefined || value === '') return nothing
  if (typeof value === 'boolean') return value ? 'Yes' : 'No'
  if (Array.isArray(value)) return value.length === 0 ? nothing : value.map((one) => valueWords(one, zone)).join(', ')
  if (isDay(value)) return dayText(value)
  if (typeof value === 'string')
    return /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}/.test(value) && !Number.isNaN(Date.parse(value))
      ? dateTimeText(value, zone)
      : value
  return typeof value === 'number' ? value.toLocaleString('en-GB') : JSON.stringify(value)
}
