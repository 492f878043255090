import { sql } from 'kysely'
import type { DeviceRow, SelectedDevice, ViewData } from '@caretaker/contract/devices.ts'
import { faultIn, isThermostat, supportsRemoteReset } from '@caretaker/rules/devices/fault.ts'
import type { Actor } from '@caretaker/rules/identity/actor.ts'
import { hasLevel } from '@caretaker/rules/identity/actor.ts'
import { isReadOnly, userCanUpdateAccessRightsTag } from '@caretaker/rules/devices/rights.ts'
import { levels } from '@caretaker/rules/identity/roles.ts'
import type { FieldId } from '@caretaker/rules/devices/fields.ts'
import { fields, isField, monitorings } from '@caretaker/rules/devices/fields.ts'
import type { Filter, Sort } from '@caretaker/rules/lists/filters.ts'
import type { ListingName } from '@caretaker/rules/devices/listings.ts'
import { listingOf, listings } from '@caretaker/rules/devices/listings.ts'
import { bulkLimit } from '@caretaker/rules/actions/actions.ts'
import type { Product } from '@caretaker/rules/devices/products.ts'
import { areaOf } from '@caretaker/rules/devices/products.ts'
import type { TenantTx } from '../../postgres/tenant.ts'
import { hidesPersonalData, joined, visible } from '../devices/visible.ts'
import { columnOf, escaped, filtered, folded, orderOf, orderParts, searched } from './conditions.ts'

/** What of a listing is wanted, with everything that a call may leave out filled in. */
export interface Wanted {
  listing: ListingName
  filters: readonly Filter[]
  sorts: readonly Sort[]
  search: string
}

interface PageWanted extends Wanted {
  page: number
  pageSize: number
}

/** The devices of a listing that the actor may see, before any filter. */
function devicesOf(tx: TenantTx, actor: Actor, listing: ListingName) {
  const products: readonly Product[] = listings[listing].products
  const [kept] = new Set(products.map((product) => listingOf(product)))
  const whole = listings[kept!].products.length === products.length
  return visible(tx.selectFrom('device'), actor)
    .where('device.listing', '=', kept!)
    .$if(!whole, (some) => some.where('device.product', 'in', [...products]))
}

/** The rows of a listing that meet filters and search, as a query to go on with. */
export async function rowsWanted(tx: TenantTx, actor: Actor, { listing, filters, search }: Wanted) {
  const byDay = filters.some(({ fieldId }) => isField(fieldId) && fields[fieldId].dataType === 'date')
  const place = { tenant: tx.tenant, zone: byDay ? await zoneOf(tx) : 'UTC' }
  return searched(filtered(devicesOf(tx, actor, listing), filters, place), search, hidesPersonalData(actor))
}

/** The time zone in which the days of the tenant begin. */
export async function zoneOf(tx: TenantTx): Promise<string> {
  const { time_zone } = await tx
    .selectFrom('tenant')
    .select('time_zone')
    .where('id', '=', tx.tenant)
    .executeTakeFirstOrThrow()
  return time_zone
}

/** The rows that meet filters and search, in their order. */
export async function rowsInOrder(tx: TenantTx, actor: Actor, wanted: Wanted) {
  return (await rowsWanted(tx, actor, wanted)).orderBy(orderOf(orderParts(wanted.sorts), false))
}

export async function countRows(tx: TenantTx, actor: Actor, wanted: Wanted): Promise<number> {
  const query = isNarrowed(wanted) ? await rowsWanted(tx, actor, wanted) : everyDevice(tx, actor, wanted.listing)
  const { count } = await query.select((eb) => eb.fn.countAll<number>().as('count')).executeTakeFirstOrThrow()
  return count
}

/** The same devices as `devicesOf`, found by their products: those have the smallest index to count in. */
function everyDevice(tx: TenantTx, actor: Actor, listing: ListingName) {
  return visible(tx.selectFrom('device'), actor).where('device.product', 'in', [...listings[listing].products])
}

const isNarrowed = ({ filters, search }: Wanted) => filters.length > 0 || search.trim() !== ''

/** One page of a listing; a page past the end is the last one. */
export async function pageOf(tx: TenantTx, actor: Actor, wanted: PageWanted): Promise<ViewData> {
  const updatedAt = new Date().toISOString()
  const outOf = await countRows(tx, actor, { ...wanted, filters: [], search: '' })
  const { pageSize } = wanted
  const { ids, total } = isNarrowed(wanted)
    ? await matchesOf(tx, actor, wanted)
    : { ids: await idsFrom(tx, actor, wanted, outOf), total: outOf }
  const page = pageWithin(wanted, total)
  return { rows: await rowsOf(tx, actor, ids), total, outOf, page, pageSize, updatedAt }
}

const pageWithin = ({ page, pageSize }: PageWanted, total: number) =>
  Math.min(page, Math.max(1, Math.ceil(total / pageSize)))

/**
 * How many rows filters and search leave, and the ids of the page among them. Whoever counts them reads the whole listing;
 * it is done once, and the page cut out of all the ids.
 */
async function matchesOf(tx: TenantTx, actor: Actor, wanted: PageWanted): Promise<{ ids: string[]; total: number }> {
  const matches = (await rowsInOrder(tx, actor, wanted)).select('device.id')
  const { page, pageSize } = wanted
  const before = sql`(least(${page}::int - 1, greatest(0, count(*) - 1) / ${pageSize}::int) * ${pageSize}::int)::int`
  const { rows } = await sql<{ total: number; ids: string[] }>`
    select count(*) as total, coalesce((array_agg(id))[${before} + 1 : ${before} + ${pageSize}::int], '{}') as ids
    from (${matches}) as match`.execute(tx)
  return rows[0]!
}

/** The ids of a page of a whole listing, read in the order of an index, from the nearer end. */
async function idsFrom(tx: TenantTx, actor: Actor, wanted: PageWanted, total: number): Promise<string[]> {
  const from = (pageWithin(wanted, total) - 1) * wanted.pageSize
  const size = Math.min(wanted.pageSize, total - from)
  if (size <= 0) return []
  const backwards = from > total / 2
  const skip = backwards ? total - from - size : from
  const rows = devicesOf(tx, actor, wanted.listing).select('device.id')
  const parts = orderParts(wanted.sorts)
  const [first, last] = parts
  const found =
    parts.length === 2 && first!.nullable && first!.falls
      ? await readApart()
      : await rows.orderBy(orderOf(parts, backwards)).limit(size).offset(skip).execute()
  const ids = found.map((row) => row.id)
  return backwards ? ids.reverse() : ids

  /** An index has devices without a value where its rising order wants them; a falling one takes them from there. */
  async function readApart(): Promise<{ id: string }[]> {
    const by = sql.raw(first!.by)
    const present = rows
      .where(sql<boolean>`${by} is not null`)
      .orderBy(orderOf([{ ...first!, nullable: false }, last!], backwards))
    const absent = rows.where(sql<boolean>`${by} is null`).orderBy(orderOf([last!], backwards))
    const [one, other] = backwards ? [absent, present] : [present, absent]
    const { rows: found } = await sql<{ id: string }>`
      ${one} union all ${other} limit ${size} offset ${skip}`.execute(tx)
    return found
  }
}

/** These devices as rows of a listing, in this order; the caller has asked whether the actor may see them. */
export async function rowsOf(tx: TenantTx, actor: Actor, ids: readonly string[]): Promise<DeviceRow[]> {
  if (!ids.length) return []
  const rows = await joined(tx)
    .where(sql<boolean>`device.id = any(${ids}::uuid[])`)
    .select([
      'device.id',
      'device.product',
      'device.status',
      'device.serial',
      'device.name',
      'device.connection_status',
      'device.in_wholesale',
      'device.building_id',
      'device.building_name',
      'device.floor_name',
      'device.address',
      'device.latitude',
      'device.longitude',
      'device.postcode',
      'device.room',
      'device.location',
      'device.location_details',
      'device.property_id',
      'device.property_reference',
      'device.monitoring',
      'device.reported',
      'device.parent_id',
      'device.access_rights_tag_id',
      'device.last_test_at',
      'device.status_at',
    ])
    .execute()
  const hidden = hidesPersonalData(actor)
  const byId = new Map(
    rows.map((row): [string, DeviceRow] => [
      row.id,
      {
        deviceId: row.id,
        deviceProductId: row.product,
        deviceStatus: row.status,
        deviceSerial: row.serial,
        deviceDisplayName: row.name,
        deviceConnectionState: row.connection_status,
        deviceInWholesale: row.in_wholesale,
        deviceBuildingId: row.building_id,
        deviceBuildingName: row.building_name,
        deviceBuildingFloor: row.floor_name,
        deviceBuildingAddress: hidden ? null : row.address,
        deviceGeoLatitude: row.latitude,
        deviceGeoLongitude: row.longitude,
        devicePostcode: hidden ? null : row.postcode,
        deviceRoom: row.room,
        deviceLocation: row.location,
        deviceLocationDetails: row.location_details,
        devicePropertyId: row.property_id,
        devicePropertyReference: row.property_reference,
        deviceMonitoring: monitorings.find((one) => one === row.monitoring) ?? null,
        deviceFirmware: typeof row.reported['firmware'] === 'string' ? row.reported['firmware'] : null,
        deviceFault: faultIn(row.reported),
        deviceRemoteResetSupported: supportsRemoteReset(row.reported),
        deviceParentId: row.parent_id,
        deviceParentProductId: row.parent_product,
        deviceIsThermostatWithHomeHub: row.with_hub && isThermostat(row.reported),
        deviceTags: row.tags,
        deviceAccessRightsTag: row.access_rights_tag_id
          ? { id: row.access_rights_tag_id, displayName: row.access_rights_name ?? '' }
          : null,
        deviceLastTest: row.last_test_at?.toISOString() ?? null,
        deviceStatusSince: row.status_at.toISOString(),
        deviceLastHeard: row.heard_at?.toISOString() ?? null,
        userHasReadOnlyAccess: isReadOnly(actor, row),
        userCanUpdateAccessRightsTag: userCanUpdateAccessRightsTag(actor, row),
      },
    ]),
  )
  return ids.flatMap((id) => byId.get(id) ?? [])
}

/** Every device of a listing that the actor may select, at most `bulkLimit`, and how many are read-only for them. */
export async function selectable(
  tx: TenantTx,
  actor: Actor,
  wanted: Wanted,
): Promise<{ devices: SelectedDevice[]; readOnly: number }> {
  const query = await rowsInOrder(tx, actor, wanted)
  const rows = await query
    .select(['device.id', 'product', 'status', 'serial', 'device.name'])
    .limit(bulkLimit)
    .execute()
  const devices = rows
    .filter((row) => !isReadOnly(actor, row))
    .map((row) => ({
      deviceId: row.id,
      deviceProductId: row.product,
      deviceStatus: row.status,
      deviceSerial: row.serial,
      deviceDisplayName: row.name,
    }))
  return { devices, readOnly: rows.length - devices.length }
}

/** Values that a text field has in the listing, in their order; for tags all names of the tenant. */
export async function choicesIn(
  tx: TenantTx,
  actor: Actor,
  listing: ListingName,
  fieldId: FieldId,
  search: string,
): Promise<string[]> {
  const pattern = `%${escaped(folded(search.trim()))}%`
  if (fieldId === 'tags' || fieldId === 'accessRightsTag') {
    const [table, name] =
      fieldId === 'tags' ? (['tag', 'name'] as const) : (['access_rights_tag', 'display_name'] as const)
    const { rows } = await sql<{ name: string }>`
      select ${sql.ref(name)} as name from ${sql.table(table)}
      where tenant_id = ${tx.tenant} and lower(${sql.ref(name)}) like ${pattern}
      order by lower(${sql.ref(name)}) limit 100`.execute(tx)
    return rows.map((row) => row.name)
  }
  const { shown, compared } = columnOf(fieldId)
  const rows = await devicesOf(tx, actor, listing)
    .select(sql<string>`${shown}`.as('value'))
    .distinct()
    .where(sql<boolean>`${compared} like ${pattern}`)
    .orderBy(sql`1`)
    .limit(100)
    .execute()
  return rows.map((row) => row.value)
}

/** Ids of visible devices of these products that changed after the date, the last changed first; at most 1,000 of them. */
export async function changedDevices(
  tx: TenantTx,
  actor: Actor,
  types: readonly Product[],
  since: Date,
): Promise<string[]> {
  const seen = types.filter((product) => hasLevel(actor, areaOf(product), levels.read))
  if (!seen.length) return []
  const rows = await visible(tx.selectFrom('device'), actor)
    .where('product', 'in', seen)
    .where('updated_at', '>', since)
    .select('device.id')
    .orderBy('updated_at', 'desc')
    .limit(1000)
    .execute()
  return rows.map((row) => row.id)
}
