import type { RawBuilder, SelectQueryBuilder } from 'kysely'
import { sql } from 'kysely'
import { severityOf } from '@caretaker/rules/devices/status.ts'
import type { FieldId } from '@caretaker/rules/devices/fields.ts'
import { choicesOf, fields, isField } from '@caretaker/rules/devices/fields.ts'
import type { Filter, Sort } from '@caretaker/rules/lists/filters.ts'
import { endOfDay, startOfDay } from '@caretaker/rules/calendar/days.ts'
import type { Database } from '../../postgres/schema.ts'

/** How a field stands in the table: what filters compare, and what sorts go by where that differs. */
interface Column {
  value: string
  order?: string
  /** A text as it is shown; `value` is the same in lower case. */
  shown?: string
  /** The natural way round is downwards: highest severity first. */
  falls?: true
  /** Devices without a value come last, whichever way it is sorted. */
  nullable?: true
}

const text = (name: string): Column => ({ value: `device.${name}_folded`, shown: `device.${name}` })

const columns: Partial<Record<FieldId, Column>> = {
  serial: text('serial'),
  name: text('name'),
  product: { value: 'device.product' },
  status: { value: 'device.status', order: 'device.severity', falls: true },
  connection: { value: 'device.connection_status' },
  building: { ...text('building_name'), nullable: true },
  floor: { ...text('floor_name'), order: 'device.floor_number', nullable: true },
  room: { ...text('room'), nullable: true },
  address: { ...text('address'), nullable: true },
  postcode: { ...text('postcode'), nullable: true },
  propertyReference: { ...text('property_reference'), nullable: true },
  location: { ...text('location'), nullable: true },
  locationDetails: { ...text('location_details'), nullable: true },
  monitoring: { value: `coalesce(device.monitoring, 'Unknown')` },
  fault: { ...text('fault_code'), nullable: true },
  lastTest: { value: 'device.last_test_at', nullable: true },
  testedOrInstalled: { value: 'coalesce(device.last_test_at, device.status_at)' },
  statusSince: { value: 'device.status_at' },
  inWholesale: { value: 'device.in_wholesale' },
  latitude: { value: 'device.latitude', nullable: true },
  longitude: { value: 'device.longitude', nullable: true },
}

type Devices = SelectQueryBuilder<Database, 'device', object>

/** Rows that meet every filter; filters are taken to be sound (`filterFault`). `zone` is the tenant's, for days. */
export function filtered<O extends object>(
  query: SelectQueryBuilder<Database, 'device', O>,
  filters: readonly Filter[],
  { tenant, zone }: { tenant: string; zone: string },
): SelectQueryBuilder<Database, 'device', O> {
  const met = (filter: Filter) => condition(filter, tenant, zone)
  return filters.reduce((rows, filter) => rows.where(met(filter)), query as unknown as Devices) as never
}

function condition({ fieldId, filterOp, value }: Filter, tenant: string, zone: string): RawBuilder<boolean> {
  if (!isField(fieldId)) throw new Error(`unknown field ${fieldId}`)
  const wanted = (Array.isArray(value) ? (value as string[]) : [String(value)]).map(folded)
  if (filterOp === 'noneof') return sql`(${condition({ fieldId, filterOp: 'anyof', value }, tenant, zone)}) is not true`
  if (fieldId === 'tags') return hasTag(wanted, tenant)
  if (fieldId === 'accessRightsTag')
    return filterOp === 'present'
      ? present(sql`device.access_rights_tag_id`, false, value === true)
      : hasAccessRightsTag(filterOp, wanted, tenant)
  const column = columns[fieldId]
  if (!column) throw new Error(`no column for ${fieldId}`)
  const stored = sql.raw(column.value)
  const { dataType } = fields[fieldId]
  if (filterOp === 'present') return present(stored, dataType === 'string', value === true)
  switch (dataType) {
    case 'bool':
      return sql`${stored} = ${value as boolean}`
    case 'number':
      return compared(stored, filterOp, sql`${value as number}`, sql`${value as number}`)
    case 'date': {
      const [from, to] = [startOfDay(String(value), zone), endOfDay(String(value), zone)].map((at) => new Date(at))
      return compared(stored, filterOp, sql`${from}::timestamptz`, sql`${to}::timestamptz`)
    }
    default: {
      const choices = choicesOf(fieldId)
      if (choices) {
        const values = choices.filter(matching(filterOp, wanted))
        const equal = sql<boolean>`${stored} = any(${values}::text[])`
        // The index of the listing begins with severity: few rows of it have a status that is wrong.
        const severities = [...new Set(values.map(severityOf))]
        return fieldId === 'status' ? sql`(${equal} and device.severity = any(${severities}::int2[]))` : equal
      }
      return filterOp === 'contains' ? contains(stored, wanted[0]!) : sql`${stored} = any(${wanted}::text[])`
    }
  }
}

/** Whether one of a fixed list of values is among the wanted ones, or contains the one. */
const matching = (op: string, wanted: readonly string[]) => (choice: string) =>
  op === 'contains' ? folded(choice).includes(wanted[0]!) : wanted.includes(folded(choice))

/** Lower case as the database does it: letter by letter, each to one letter, whatever stands beside it. */
export function folded(text: string): string {
  return Array.from(text, (letter) => Array.from(letter.toLowerCase())[0]).join('')
}

/** An empty text is no value; 'after the empty one' can be asked of an index. */
function present(stored: RawBuilder<unknown>, isText: boolean, wanted: boolean): RawBuilder<boolean> {
  if (isText) return wanted ? sql`${stored} > ''` : sql`coalesce(${stored}, '') = ''`
  return wanted ? sql`${stored} is not null` : sql`${stored} is null`
}

/** A day or number as its first and last instant: from the first on, to the last, or between both. */
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

function hasTag(names: readonly string[], tenant: string): RawBuilder<boolean> {
  return sql`device.id in (
    select device_tag.device_id from device_tag
    join tag on tag.tenant_id = device_tag.tenant_id and tag.id = device_tag.tag_id
    where device_tag.tenant_id = ${tenant} and lower(tag.name) = any(${names}::text[]))`
}

function hasAccessRightsTag(op: string, names: readonly string[], tenant: string): RawBuilder<boolean> {
  const matches =
    op === 'contains'
      ? sql`lower(display_name) like ${`%${escaped(names[0]!)}%`}`
      : sql`lower(display_name) = any(${names}::text[])`
  return sql`coalesce(device.access_rights_tag_id in (
    select id from access_rights_tag where tenant_id = ${tenant} and ${matches}), false)`
}

/** A field's value as it is shown, and as it is compared. */
export function columnOf(fieldId: FieldId): { shown: RawBuilder<string>; compared: RawBuilder<string> } {
  const column = columns[fieldId]
  if (!column) throw new Error(`no column for ${fieldId}`)
  return { shown: sql.raw(column.shown ?? column.value), compared: sql.raw(column.value) }
}

function contains(stored: RawBuilder<unknown>, wanted: string): RawBuilder<boolean> {
  return sql`${stored} like ${`%${escaped(wanted)}%`}`
}

/** A text as a part of a LIKE pattern. */
export function escaped(text: string): string {
  return text.replaceAll(/[\\%_]/g, (sign) => `\\${sign}`)
}

const searchedFields = ['serial', 'name', 'building', 'floor', 'room', 'location', 'propertyReference'] as const
const addressFields = ['address', 'postcode'] as const

/** Rows that have the text in serial, name or place, and in the address where that is not hidden. */
export function searched<O extends object>(
  query: SelectQueryBuilder<Database, 'device', O>,
  search: string,
  hidesAddress: boolean,
): SelectQueryBuilder<Database, 'device', O> {
  const wanted = folded(search.trim())
  if (!wanted) return query
  const fields = hidesAddress ? searchedFields : [...searchedFields, ...addressFields]
  const found = fields.map((fieldId) => contains(columnOf(fieldId).compared, wanted))
  return query.where(sql<boolean>`(${sql.join(found, sql` or `)})`)
}

/** One part of an order: what it goes by, which way, and whether there are devices without it. */
export interface OrderPart {
  by: string
  falls: boolean
  nullable: boolean
}

/**
 * The parts of an order, severity unless there are sorts. Serial comes last and goes the way of the one before it, so that
 * every order is total, pages never overlap, and an index can be read from either end.
 */
export function orderParts(sorts: readonly Sort[]): OrderPart[] {
  const wanted = sorts.length ? sorts : [{ fieldId: 'status', descending: false }]
  const parts = wanted.map(({ fieldId, descending }) => {
    const column = columns[fieldId as FieldId]
    if (!column) throw new Error(`no column for ${fieldId}`)
    return {
      by: column.order ?? column.value,
      falls: (column.falls === true) !== descending,
      nullable: column.nullable === true,
    }
  })
  return [...parts, { by: 'device.serial', falls: wanted.at(-1)!.descending, nullable: false }]
}

/** An order in SQL; `backwards` is its exact reverse, by which the second half of a long listing is read from its end. */
export function orderOf(parts: readonly OrderPart[], backwards: boolean): RawBuilder<unknown> {
  const texts = parts.map(({ by, falls, nullable }) => {
    const nulls = nullable ? ` nulls ${backwards ? 'first' : 'last'}` : ''
    return `${by} ${falls === backwards ? 'asc' : 'desc'}${nulls}`
  })
  return sql.raw(texts.join(', '))
}
