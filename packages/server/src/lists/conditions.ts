import type { RawBuilder } from 'kysely'
import { sql } from 'kysely'
import type { Field } from '@caretaker/rules/lists/fields.ts'
import type { Filter } from '@caretaker/rules/lists/filters.ts'
import type { Actor } from '@caretaker/rules/identity/actor.ts'
import { endOfDay, startOfDay } from '@caretaker/rules/calendar/days.ts'
import { containsAll } from '@caretaker/rules/texts/search-form.ts'
import type { Column, ListSource, Measured, Stored } from './source.ts'
import { isNamed } from './words.ts'

/** The context of a list request: the tenant, and the time zone in which its days begin. */
interface Place {
  tenant: string
  zone: string
  actor: Actor
  /** Nearly all rows match, and only a few are needed. */
  meetNearlyAll?: boolean
}

/** The conditions of all filters, which must have passed `filterFault`. */
export function conditionsOf(source: ListSource, filters: readonly Filter[], place: Place): RawBuilder<boolean>[] {
  return filters.map((filter) => condition(source, filter, place))
}

function condition(source: ListSource, { fieldId, filterOp, value }: Filter, place: Place): RawBuilder<boolean> {
  const field = source.fields[fieldId]
  const column = columnOf(source, fieldId)
  if (!field) throw new Error(`unknown field ${fieldId}`)
  if (filterOp === 'noneof')
    return sql`(${condition(source, { fieldId, filterOp: 'anyof', value }, place)}) is not true`
  const wanted = (Array.isArray(value) ? (value as string[]) : [String(value)]).map(folded)
  if ('meets' in column) {
    if (filterOp !== 'present') return column.meets(filterOp, wanted, place.tenant, place.actor)
    if (!column.present) throw new Error(`${fieldId} cannot be asked whether it is there`)
    const asked = (place.meetNearlyAll && column.presentInEach) || column.present
    const present = asked.call(column, place.tenant, place.actor)
    return value === true ? present : sql`not ${present}`
  }
  if ('has' in column) return column.has(wanted, place.tenant, place.actor)
  if ('whose' in column) return measured(column, field, { filterOp, value }, place)
  const stored = sql.raw(column.value)
  if (filterOp === 'present') return present(stored, field.dataType === 'string', value === true)
  switch (field.dataType) {
    case 'bool':
      return sql`${stored} = ${value as boolean}`
    case 'number':
      return compared(stored, filterOp, sql`${value as number}`, sql`${value as number}`)
    case 'date': {
      const ends = [startOfDay(String(value), place.zone), endOfDay(String(value), place.zone)]
      const [from, to] = ends.map((at) => new Date(at))
      return compared(stored, filterOp, sql`${from}::timestamptz`, sql`${to}::timestamptz`)
    }
    default:
      return textCondition(field, column, filterOp, wanted)
  }
}

/** A day in another table is stored as a date, not an instant. */
function measured(
  column: Measured,
  { dataType }: Field,
  { filterOp, value }: Omit<Filter, 'fieldId'>,
  { tenant }: Place,
): RawBuilder<boolean> {
  if (filterOp === 'present') {
    const isThere = column.whose((stored) => sql`${stored} is not null`, tenant)
    return value === true ? isThere : sql`not ${isThere}`
  }
  const wanted = dataType === 'date' ? sql`${value as string}::date` : sql`${value as number}::float8`
  return column.whose((stored) => compared(stored, filterOp, wanted, wanted), tenant)
}

function textCondition({ choices }: Field, column: Stored, op: string, wanted: string[]): RawBuilder<boolean> {
  const stored = sql.raw(column.value)
  if (!choices) return isNamed(stored, op, wanted)
  const values = choices.filter(matching(op, wanted))
  const equal = column.among?.(values) ?? sql<boolean>`${stored} = any(${values}::text[])`
  return column.implies ? sql`(${equal} and ${column.implies(values)})` : equal
}

/** The column of a field that can be filtered, sorted or searched. */
export function columnOf(source: ListSource, fieldId: string): Column {
  const column = Object.hasOwn(source.columns, fieldId) ? source.columns[fieldId] : undefined
  if (!column) throw new Error(`no column for ${fieldId}`)
  return column
}

/** The column of a field that is in the list's own table. */
export function storedOf(source: ListSource, fieldId: string): Stored {
  const column = columnOf(source, fieldId)
  if ('meets' in column || 'whose' in column || 'has' in column) throw new Error(`${fieldId} stands in another table`)
  return column
}

/** Whether one of a fixed list of values is among the wanted ones, or contains the words of the first. */
const matching = (op: string, wanted: readonly string[]) => (choice: string) =>
  op === 'contains' ? containsAll(choice, wanted[0]!) : wanted.includes(folded(choice))

/** Lower case as the database does it: each letter alone, to exactly one letter, regardless of its neighbours. */
export function folded(text: string): string {
  return Array.from(text, (letter) => Array.from(letter.toLowerCase())[0]).join('')
}

/** An empty text is no value; 'greater than the empty text' can use an index. */
function present(stored: RawBuilder<unknown>, isText: boolean, wanted: boolean): RawBuilder<boolean> {
  if (isText) return wanted ? sql`${stored} > ''` : sql`coalesce(${stored}, '') = ''`
  return wanted ? sql`${stored} is not null` : sql`${stored} is null`
}

/** Compares a day or number by its first and last instant: from the first, to the last, or between both. */
function compared(
  stored: RawBuilder<unknown>,
  op: string,
  first: RawBuilder<unknown>,
  last: RawBuilder<unknown>,
): RawBuilder<boolean> {
  if (op === 'from') return sql`${stored} >= ${first}`
  if (op === 'to') return sql`${stored} <= ${last}`
  return sql`${stored} between ${first} and ${last}`
}
