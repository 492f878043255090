import type { ExpressionBuilder, SelectQueryBuilder } from 'kysely'
import { sql } from 'kysely'
import type { Device, DeviceRow, listingSorts, ViewData } from '@caretaker/contract/devices.ts'
import { refuse } from '@caretaker/contract/refusal.ts'
import type { Family, Product } from '@caretaker/rules/devices/products.ts'
import { familyOf, products } from '@caretaker/rules/devices/products.ts'
import { severityOf, summarise } from '@caretaker/rules/devices/status.ts'
import type { DeviceStatus, DeviceSummary } from '@caretaker/rules/devices/status.ts'
import type { Actor, DeviceSubject } from '@caretaker/rules/identity/can.ts'
import { can, isLimited, isReadOnly, userCanUpdateAccessRightsTag } from '@caretaker/rules/identity/can.ts'
import type { ListingName } from '@caretaker/rules/views/listings.ts'
import { listingPageSize } from '@caretaker/rules/views/listings.ts'
import type { Database } from '../../postgres/schema.ts'
import type { TenantTx } from '../../postgres/tenant.ts'

/** Rows the actor may see at all: a limited user sees only devices that carry one of the user's tags. */
function visible<O>(query: SelectQueryBuilder<Database, 'device', O>, actor: Actor) {
  return query
    .where('device.tenant_id', '=', actor.tenant)
    .$if(isLimited(actor), (limited) => limited.where('device.access_rights_tag_id', 'in', [...actor.tags]))
}

const hidesPersonalData = (actor: Actor) => actor.features.includes('HideCustomerPersonalData')

/** The six counts of each family that the actor may see. */
export async function countFamilies(tx: TenantTx, actor: Actor): Promise<Map<Family, DeviceSummary>> {
  const rows = await visible(tx.selectFrom('device'), actor)
    .select(['product', 'status', (eb) => eb.fn.countAll<number>().as('count')])
    .groupBy(['product', 'status'])
    .execute()
  const counts = Map.groupBy(rows, (row) => familyOf(row.product))
  return new Map(
    [...counts].map(([family, of]) => [family, summarise(of.map((row) => [row.status, row.count] as const))]),
  )
}

type Sort = (typeof listingSorts)[number]

/** The column each sort goes by and whether it rises; devices without one (`nullable`) come last either way. */
const sorts: Record<Sort, { column: string; rises: boolean; nullable?: boolean }> = {
  // Highest severity first is the natural way round.
  severity: { column: 'severity', rises: false },
  serial: { column: 'serial', rises: true },
  name: { column: 'device.name', rises: true },
  connection: { column: 'connection_status', rises: true },
  building: { column: 'building.name', rises: true, nullable: true },
  floor: { column: 'floor.number', rises: true, nullable: true },
}

/**
 * The order of a sort in SQL. Serial comes last, so that every order is total and pages never overlap; `backwards` is
 * the exact reverse, by which the second half of a long listing is read from its end.
 */
function orderOf(sort: Sort, descending: boolean, backwards: boolean): string {
  const { column, rises, nullable } = sorts[sort]
  const up = (rising: boolean) => (rising === backwards ? 'desc' : 'asc')
  const nulls = nullable ? ` nulls ${backwards ? 'first' : 'last'}` : ''
  const last = column === 'serial' ? [] : [`serial ${up(true)}`]
  return [`${column} ${up(rises !== descending)}${nulls}`, ...last].join(', ')
}

export interface Page {
  listing: ListingName
  page: number
  sort: Sort
  descending: boolean
}

/** One page of a listing; a page past the end is the last one. */
export async function listDevices(tx: TenantTx, actor: Actor, wanted: Page): Promise<ViewData> {
  const updatedAt = new Date().toISOString()
  const { total } = await visible(tx.selectFrom('device'), actor)
    .where('listing', '=', wanted.listing)
    .select((eb) => eb.fn.countAll<number>().as('total'))
    .executeTakeFirstOrThrow()
  const page = Math.min(wanted.page, Math.max(1, Math.ceil(total / listingPageSize)))
  const ids = await idsOfPage(tx, actor, { ...wanted, page }, total)
  if (!ids.length) return { rows: [], total, page, updatedAt }
  const rows = await rowsOf(tx, ids)
  const byId = new Map(rows.map((row) => [row.id, row]))
  return { rows: ids.flatMap((id) => byId.get(id) ?? []).map((row) => asRow(row, actor)), total, page, updatedAt }
}

/** The ids of a page in their order: found first, from the index alone, so that only a page's rows are joined. */
async function idsOfPage(tx: TenantTx, actor: Actor, wanted: Page, total: number): Promise<string[]> {
  const from = (wanted.page - 1) * listingPageSize
  const size = Math.min(listingPageSize, total - from)
  if (size <= 0) return []
  const backwards = from > total / 2
  const rows = await visible(tx.selectFrom('device'), actor)
    .where('listing', '=', wanted.listing)
    .$if(wanted.sort === 'building', (query) =>
      query.leftJoin('building', (join) =>
        join.onRef('building.tenant_id', '=', 'device.tenant_id').onRef('building.id', '=', 'device.building_id'),
      ),
    )
    .$if(wanted.sort === 'floor', (query) =>
      query.leftJoin('floor', (join) =>
        join.onRef('floor.tenant_id', '=', 'device.tenant_id').onRef('floor.id', '=', 'device.floor_id'),
      ),
    )
    .select('device.id')
    .orderBy(sql.raw(orderOf(wanted.sort, wanted.descending, backwards)))
    .limit(size)
    .offset(backwards ? total - from - size : from)
    .execute()
  const ids = rows.map((row) => row.id)
  return backwards ? ids.reverse() : ids
}

function rowsOf(tx: TenantTx, ids: string[]): Promise<ListedRow[]> {
  return tx
    .selectFrom('device')
    .leftJoin('building', (join) =>
      join.onRef('building.tenant_id', '=', 'device.tenant_id').onRef('building.id', '=', 'device.building_id'),
    )
    .leftJoin('floor', (join) =>
      join.onRef('floor.tenant_id', '=', 'device.tenant_id').onRef('floor.id', '=', 'device.floor_id'),
    )
    .leftJoin('property', (join) =>
      join.onRef('property.tenant_id', '=', 'device.tenant_id').onRef('property.id', '=', 'device.property_id'),
    )
    .leftJoin('device_link', (join) =>
      join.onRef('device_link.tenant_id', '=', 'device.tenant_id').onRef('device_link.device_id', '=', 'device.id'),
    )
    .where('device.tenant_id', '=', tx.tenant)
    .where('device.id', 'in', ids)
    .select([
      'device.id',
      'product',
      'status',
      'serial',
      'device.name',
      'connection_status',
      'in_wholesale',
      'device.building_id',
      'building.name as building',
      'floor.name as floor',
      addressOf,
      'device.latitude',
      'device.longitude',
      'heard_at',
    ])
    .execute()
}

/** The address of a device: its property's, else its building's. */
function addressOf(eb: ExpressionBuilder<Database, 'property' | 'building'>) {
  return sql<string | null>`coalesce(
    nullif(concat_ws(', ', nullif(property.address1, ''), nullif(property.address2, ''), nullif(property.address3, ''),
      nullif(property.town, ''), nullif(property.county, ''), nullif(property.postcode, '')), ''),
    nullif(concat_ws(' ', nullif(${eb.ref('building.address')}, ''), nullif(building.postcode, '')), ''))`.as('address')
}

interface ListedRow {
  id: string
  product: Product
  status: DeviceStatus
  serial: string
  name: string
  connection_status: DeviceRow['deviceConnectionState']
  in_wholesale: boolean
  building_id: string | null
  building: string | null
  floor: string | null
  address: string | null
  latitude: number | null
  longitude: number | null
  heard_at: Date | null
}

function asRow(row: ListedRow, actor: Actor): DeviceRow {
  const readOnly = isReadOnly(actor, row)
  return {
    deviceId: row.id,
    deviceProductId: row.product,
    deviceStatus: row.status,
    deviceSerial: row.serial,
    deviceDisplayName: row.name,
    deviceConnectionState: row.connection_status,
    deviceInWholesale: row.in_wholesale,
    deviceBuildingId: row.building_id,
    deviceBuildingName: row.building,
    deviceBuildingFloor: row.floor,
    deviceBuildingAddress: hidesPersonalData(actor) ? null : row.address,
    deviceGeoLatitude: row.latitude,
    deviceGeoLongitude: row.longitude,
    deviceLastHeard: row.heard_at?.toISOString() ?? null,
    userHasReadOnlyAccess: readOnly,
    userCanUpdateAccessRightsTag: userCanUpdateAccessRightsTag(actor, row),
  }
}

/** Ids of visible devices of these products that changed after the date; at most 1,000 of them. */
export async function changedDevices(
  tx: TenantTx,
  actor: Actor,
  types: readonly Product[],
  since: Date,
): Promise<string[]> {
  if (!types.length) return []
  const rows = await visible(tx.selectFrom('device'), actor)
    .where('product', 'in', [...types])
    .where('updated_at', '>', since)
    .select('device.id')
    .limit(1000)
    .execute()
  return rows.map((row) => row.id)
}

/** What a permission question asks of the device. */
export interface KnownDevice extends DeviceSubject {
  id: string
  serial: string
  name: string
  status: DeviceStatus
  parentId: string | null
  reportingInterval: number
}

/**
 * The device as the actor may see it. One that does not exist, is another tenant's or is hidden from the actor is the
 * same refusal: not found.
 */
export async function findDevice(tx: TenantTx, actor: Actor, deviceId: string): Promise<KnownDevice> {
  const row = await tx
    .selectFrom('device')
    .where('tenant_id', '=', tx.tenant)
    .where('id', '=', deviceId)
    .select([
      'id',
      'serial',
      'name',
      'product',
      'status',
      'in_wholesale',
      'parent_id',
      'access_rights_tag_id',
      'reporting_interval',
    ])
    .executeTakeFirst()
  if (!row) throw refuse('not found')
  const device = {
    id: row.id,
    serial: row.serial,
    name: row.name,
    product: row.product,
    status: row.status,
    inWholesale: row.in_wholesale,
    accessRightsTags: row.access_rights_tag_id ? [row.access_rights_tag_id] : [],
    parentId: row.parent_id,
    reportingInterval: row.reporting_interval,
  }
  if (!can(actor, 'see device', device)) throw refuse('not found')
  return device
}

/** Everything the device page shows; refuses as `findDevice` does, and for a device of another listing. */
export async function deviceInFull(
  tx: TenantTx,
  actor: Actor,
  deviceId: string,
  listing: ListingName,
): Promise<Device> {
  const known = await findDevice(tx, actor, deviceId)
  const row = await tx
    .selectFrom('device')
    .leftJoin('building', (join) =>
      join.onRef('building.tenant_id', '=', 'device.tenant_id').onRef('building.id', '=', 'device.building_id'),
    )
    .leftJoin('floor', (join) =>
      join.onRef('floor.tenant_id', '=', 'device.tenant_id').onRef('floor.id', '=', 'device.floor_id'),
    )
    .leftJoin('property', (join) =>
      join.onRef('property.tenant_id', '=', 'device.tenant_id').onRef('property.id', '=', 'device.property_id'),
    )
    .leftJoin('device_link', (join) =>
      join.onRef('device_link.tenant_id', '=', 'device.tenant_id').onRef('device_link.device_id', '=', 'device.id'),
    )
    .leftJoin('device as parent', (join) =>
      join.onRef('parent.tenant_id', '=', 'device.tenant_id').onRef('parent.id', '=', 'device.parent_id'),
    )
    .leftJoin('access_rights_tag', (join) =>
      join
        .onRef('access_rights_tag.tenant_id', '=', 'device.tenant_id')
        .onRef('access_rights_tag.id', '=', 'device.access_rights_tag_id'),
    )
    .where('device.tenant_id', '=', tx.tenant)
    .where('device.id', '=', deviceId)
    .where('device.listing', '=', listing)
    .selectAll('device')
    .select([
      'building.name as building_name',
      'floor.name as floor_name',
      'floor.number as floor_number',
      'heard_at',
      'parent.name as parent_name',
      'parent.serial as parent_serial',
      'parent.product as parent_product',
      'access_rights_tag.display_name as access_rights_name',
      addressOf,
    ])
    .executeTakeFirst()
  if (!row) throw refuse('not found')
  const tags = await tx
    .selectFrom('device_tag')
    .innerJoin('tag', (join) => join.onRef('tag.tenant_id', '=', 'device_tag.tenant_id').onRef('tag.id', '=', 'tag_id'))
    .where('device_tag.tenant_id', '=', tx.tenant)
    .where('device_id', '=', deviceId)
    .select(['tag.id', 'tag.name'])
    .orderBy('tag.name')
    .execute()
  const readOnly = isReadOnly(actor, known)
  const hidden = hidesPersonalData(actor)
  return {
    deviceId: row.id,
    deviceName: row.name,
    deviceType: products[row.product].name,
    productId: row.product,
    serialNumber: row.serial,
    deviceStatus: row.status,
    connectionStatus: row.connection_status,
    lastHeard: row.heard_at?.toISOString() ?? null,
    inWholesale: row.in_wholesale,
    lat: row.latitude,
    long: row.longitude,
    buildingId: row.building_id,
    buildingName: row.building_name,
    building: row.building_name,
    floorName: row.floor_name,
    floor: row.floor_number,
    room: row.room,
    group: null,
    tags: tags.map((tag) => tag.name),
    tagIds: tags.map((tag) => tag.id),
    accessRightsTag: row.access_rights_tag_id
      ? { id: row.access_rights_tag_id, displayName: row.access_rights_name ?? '' }
      : null,
    propertyId: row.property_id,
    address: hidden ? null : row.address,
    location: row.location,
    locationDetails: row.location_details,
    powerClamps: row.power_clamps as Record<string, string> | null,
    reported: row.reported,
    parent:
      row.parent_id && row.parent_serial
        ? {
            deviceId: row.parent_id,
            deviceName: row.parent_name!,
            serialNumber: row.parent_serial,
            productId: row.parent_product!,
          }
        : null,
    userHasReadOnlyAccess: readOnly,
    userCanUpdateAccessRightsTag: userCanUpdateAccessRightsTag(actor, known),
    tenant: tx.tenant,
  }
}

/**
 * When anything about the device last changed: itself, what it said, its commands or tests. The poll of every open
 * device page: four index look-ups.
 */
export async function deviceChangedAt(tx: TenantTx, deviceId: string): Promise<Date> {
  const { rows } = await sql<{ at: Date }>`
    select greatest(
      (select updated_at from device where tenant_id = ${tx.tenant} and id = ${deviceId}),
      (select heard_at from device_link where tenant_id = ${tx.tenant} and device_id = ${deviceId}),
      (select greatest(created_at, sent_at, answered_at) from command
        where tenant_id = ${tx.tenant} and device_id = ${deviceId} order by created_at desc limit 1)) as at`.execute(tx)
  return rows[0]!.at
}

/** The only way to change a device's status: severity goes with it, and the change is seen by the polls. */
export async function setStatus(tx: TenantTx, deviceId: string, status: DeviceStatus): Promise<void> {
  await tx
    .updateTable('device')
    .set({ status, severity: severityOf(status), updated_at: sql<Date>`now()` })
    .where('tenant_id', '=', tx.tenant)
    .where('id', '=', deviceId)
    .where('status', '<>', status)
    .execute()
}
