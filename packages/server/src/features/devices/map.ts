import type { Selectable } from 'kysely'
import { sql } from 'kysely'
import type { MapPoint } from '@caretaker/contract/devices.ts'
import { isRestrictedType, productCodes, products } from '@caretaker/rules/devices/products.ts'
import type { Actor } from '@caretaker/rules/identity/actor.ts'
import type { Database } from '../../postgres/schema.ts'
import type { TenantTx } from '../../postgres/tenant.ts'
import { readable } from './visible.ts'

/** Devices that an answer names at most. */
const mostPoints = 50

const restricted = productCodes.filter(isRestrictedType)

/** Devices that have a place on the map, as far as the actor may see them. */
export const placedDevices = (tx: TenantTx, actor: Actor) =>
  readable(tx, actor)
    .where('device.latitude', 'is not', null)
    .where('device.longitude', 'is not', null)
    .where(sql<boolean>`device.product <> all(${restricted}::text[])`)

export const mapColumns = [
  'device.id',
  'device.name',
  'device.serial',
  'device.product',
  'device.status',
  'device.connection_status',
  'device.building_name',
  'device.floor_name',
  'device.latitude',
  'device.longitude',
] as const

type MapRow = Pick<
  Selectable<Database['device']>,
  'id' | 'name' | 'serial' | 'product' | 'status' | 'connection_status' | 'latitude' | 'longitude'
> & { building_name: string | null; floor_name: string | null }

export const asMapPoint = (row: MapRow): MapPoint => ({
  deviceId: row.id,
  deviceName: row.name,
  serialNumber: row.serial,
  deviceType: products[row.product].name,
  productId: row.product,
  deviceStatus: row.status,
  connectionStatus: row.connection_status,
  building: row.building_name,
  floor: row.floor_name,
  lat: row.latitude!,
  lng: row.longitude!,
  long: row.longitude!,
})

/** Devices that have a place on the map, as far as the actor may see them; nearest first to a place that is given. */
export async function mapPoints(
  tx: TenantTx,
  actor: Actor,
  near?: { latitude: number; longitude: number },
): Promise<{ points: MapPoint[]; total: number }> {
  const placed = placedDevices(tx, actor)
  const { total } = await placed.select((all) => all.fn.countAll<string>().as('total')).executeTakeFirstOrThrow()
  const rows = await placed
    .select(mapColumns)
    // Squares of degrees, those of longitude as wide as they are there: the order is that of metres within a town.
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
  return { total: Number(total), points: rows.map(asMapPoint) }
}

/** Where a device is on the map; undefined where it is not on it. */
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
