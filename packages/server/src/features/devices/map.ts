import type { Selectable } from 'kysely'
import { sql } from 'kysely'
import type { FloorDevice, MapPoint } from '@caretaker/contract/devices.ts'
import { refuse } from '@caretaker/contract/refusal.ts'
import { products } from '@caretaker/rules/devices/products.ts'
import { displayGroups, takenDownStatuses } from '@caretaker/rules/devices/status.ts'
import type { Actor } from '@caretaker/rules/identity/actor.ts'
import { can } from '@caretaker/rules/rights/can.ts'
import { searchConditions } from '../../lists/search.ts'
import type { Database } from '../../postgres/database.ts'
import type { TenantTx } from '../../postgres/tenant.ts'
import { reasonsOf } from '../conditions/store.ts'
import { deviceList } from './list.ts'
import { runningTests } from './running-tests.ts'
import { isOfConnection, isUnrestricted, readable } from './visible.ts'

/** Maximum number of devices in an answer. */
const mostPoints = 50
const mostOnFloor = 2000

/** Devices with a place on the map that the actor may see. */
export const placedDevices = (tx: TenantTx, actor: Actor) =>
  readable(tx, actor)
    .where('device.latitude', 'is not', null)
    .where('device.longitude', 'is not', null)
    .where(isUnrestricted(tx))

export const mapColumns = [
  'device.id',
  'device.name',
  'device.serial',
  'device.product',
  'device.status',
  'device.connection_status',
  'device.building_name',
  'device.floor_name',
  'device.building_id',
  'device.floor_id',
  'device.latitude',
  'device.longitude',
  'device.is_roughly_placed',
] as const

type MapRow = Pick<
  Selectable<Database['device']>,
  | 'id'
  | 'name'
  | 'serial'
  | 'product'
  | 'status'
  | 'connection_status'
  | 'building_id'
  | 'floor_id'
  | 'latitude'
  | 'longitude'
  | 'is_roughly_placed'
> & { building_name: string | null; floor_name: string | null }

/** Devices as map points, with the reason for each state. */
export async function asMapPoints(tx: TenantTx, rows: readonly MapRow[]): Promise<MapPoint[]> {
  const reasons = await reasonsOf(
    tx,
    rows.filter(({ status }) => status !== 'Ok').map(({ id }) => id),
  )
  const running = await runningTests(
    tx,
    rows.map(({ id }) => id),
  )
  return rows.map((row) => ({
    ...asMapPoint(row, reasons.get(row.id)),
    deviceRunningTest: running.get(row.id) ?? null,
  }))
}

const asMapPoint = (row: MapRow, reason: string | undefined): Omit<MapPoint, 'deviceRunningTest'> => ({
  deviceId: row.id,
  deviceName: row.name,
  serialNumber: row.serial,
  deviceType: products[row.product].name,
  productId: row.product,
  deviceStatus: row.status,
  deviceStatusReason: reason ?? null,
  connectionStatus: row.connection_status,
  building: row.building_name,
  floor: row.floor_name,
  buildingId: row.building_id,
  floorId: row.floor_id,
  lat: row.latitude!,
  lng: row.longitude!,
  long: row.longitude!,
  isRoughlyPlaced: row.is_roughly_placed,
})

/** Devices on the map that the actor may see; nearest first if a place is given. */
export async function mapPoints(
  tx: TenantTx,
  actor: Actor,
  near?: { latitude: number; longitude: number },
): Promise<{ points: MapPoint[]; total: number }> {
  const placed = placedDevices(tx, actor)
  const { total } = await placed.select((all) => all.fn.countAll<string>().as('total')).executeTakeFirstOrThrow()
  const rows = await placed
    .select(mapColumns)
    // Squared degrees, with longitude scaled to the latitude: within a town the order is that of distances in metres.
    .$if(near !== undefined, (all) =>
      all.orderBy(
        sql`power(device.latitude - ${near!.latitude}, 2) +
          power((device.longitude - ${near!.longitude}) * cos(radians(${near!.latitude})), 2)`,
      ),
    )
    .orderBy('device.building_name')
    .orderBy('device.floor_number')
    .orderBy('device.name')
    .orderBy('device.id')
    .limit(mostPoints)
    .execute()
  return { total: Number(total), points: await asMapPoints(tx, rows) }
}

/** The place of a device on the map; undefined if it has none. */
export async function placeOnMap(tx: TenantTx, deviceId: string) {
  const row = await tx
    .selectFrom('device')
    .select(['latitude', 'longitude'])
    .where('tenant_id', '=', tx.tenant)
    .where('id', '=', deviceId)
    .executeTakeFirstOrThrow()
  const { latitude, longitude } = row
  return latitude === null || longitude === null ? undefined : { latitude, longitude }
}

/** The devices of a floor that the actor may see, including those without a position; 404 if there is no such floor. */
export async function floorDevices(
  tx: TenantTx,
  actor: Actor,
  { building, floor }: { building: string; floor: string },
): Promise<FloorDevice[]> {
  const known = await tx
    .selectFrom('floor')
    .select('id')
    .where('tenant_id', '=', tx.tenant)
    .where('building_id', '=', building)
    .where('id', '=', floor)
    .executeTakeFirst()
  if (!known) throw refuse('not found')
  const rows = await floorRows(tx, actor)
    .where('device.building_id', '=', building)
    .where('device.floor_id', '=', floor)
    .limit(mostOnFloor)
    .execute()
  return rows.map((row) => asFloorDevice(actor, row))
}

/**
 * The devices that could be placed on a floor of a building and that the actor may place; 404 if there is no such
 * building.
 */
export async function devicesWithoutFloor(
  tx: TenantTx,
  actor: Actor,
  { building, find, most }: { building: string; find?: string | undefined; most: number },
) {
  const known = await tx
    .selectFrom('building')
    .select('id')
    .where('tenant_id', '=', tx.tenant)
    .where('id', '=', building)
    .executeTakeFirst()
  if (!known) throw refuse('not found')
  const sought = await searchConditions(deviceList, tx, actor, find ?? '')
  const rows = await floorRows(tx, actor)
    .where('device.floor_id', 'is', null)
    .where('device.property_id', 'is', null)
    .where((row) => row.or([row('device.building_id', 'is', null), row('device.building_id', '=', building)]))
    .where('device.in_wholesale', '=', false)
    .where(sql<boolean>`device.status <> all(${takenDownStatuses}::text[])`)
    .where((row) => row.and(sought))
    .select('device.building_id')
    // Devices of the building first, then installed ones, then those in stock.
    .clearOrderBy()
    .orderBy(sql`device.building_id is null`)
    .orderBy(sql`device.status = any(${displayGroups.NotInstalled}::text[])`)
    .orderBy('device.name')
    .orderBy('device.id')
    .limit(most + 1)
    .execute()
  const devices = rows
    .slice(0, most)
    .map((row) => ({ ...asFloorDevice(actor, row), buildingId: row.building_id }))
    .filter(({ mayPlace }) => mayPlace)
  return { devices, hasMore: rows.length > most }
}

const floorRows = (tx: TenantTx, actor: Actor) =>
  readable(tx, actor)
    .where(isUnrestricted(tx))
    .select(isOfConnection(tx))
    .select(['device.id', 'device.name', 'device.serial', 'device.product', 'device.status', 'device.in_wholesale'])
    .select(['device.connection_status', 'device.room', 'device.latitude', 'device.longitude'])
    .select('device.is_roughly_placed')
    .select('device.access_rights_tag_id')
    .orderBy('device.name')
    .orderBy('device.id')

type FloorRow = Awaited<ReturnType<ReturnType<typeof floorRows>['execute']>>[number]

function asFloorDevice(actor: Actor, row: FloorRow): FloorDevice {
  return {
    deviceId: row.id,
    deviceName: row.name,
    serialNumber: row.serial,
    deviceType: products[row.product].name,
    productId: row.product,
    deviceStatus: row.status,
    connectionStatus: row.connection_status,
    room: row.room,
    lat: row.latitude,
    long: row.longitude,
    isRoughlyPlaced: row.is_roughly_placed,
    mayPlace: can(actor, 'place device', {
      ...{ product: row.product, status: row.status, inWholesale: row.in_wholesale },
      accessRightsTags: row.access_rights_tag_id ? [row.access_rights_tag_id] : [],
      isOfConnection: row.is_of_connection,
    }),
  }
}
