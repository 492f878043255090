import { sql } from 'kysely'
import type { Building, BuildingSummary } from '@caretaker/contract/buildings.ts'
import { connectionStates } from '@caretaker/rules/devices/connection.ts'
import { displayGroups } from '@caretaker/rules/devices/status.ts'
import type { Actor } from '@caretaker/rules/identity/actor.ts'
import type { TenantTx } from '../../postgres/tenant.ts'
import { visible } from '../devices/visible.ts'

export async function listBuildings(tx: TenantTx): Promise<Building[]> {
  const buildings = await tx
    .selectFrom('building')
    .select(['id', 'name', 'latitude', 'longitude'])
    .where('tenant_id', '=', tx.tenant)
    .orderBy(sql`lower(name)`)
    .execute()
  const rows = await tx
    .selectFrom('floor')
    .select(['id', 'building_id', 'number', 'name'])
    .where('tenant_id', '=', tx.tenant)
    .orderBy('number')
    .execute()
  const floorsOf = Map.groupBy(rows, (floor) => floor.building_id)
  return buildings.map(({ id, name, latitude, longitude }) => {
    const floors = floorsOf.get(id) ?? []
    return {
      building: id,
      name,
      lat: latitude,
      lng: longitude,
      floors: floors.map((floor) => ({ floor: floor.id, number: floor.number, name: floor.name })),
      defaultFloor: (floors.find((floor) => floor.number >= 0) ?? floors[0])?.id ?? null,
    }
  })
}

const failed: readonly string[] = [...displayGroups.Failed, ...displayGroups.FailedDevice]
const warning: readonly string[] = displayGroups.Warning

/** Counts of the devices that the actor may see, a row for every building that the tenant has. */
export async function summariseBuildings(tx: TenantTx, actor: Actor): Promise<BuildingSummary[]> {
  const buildings = await listBuildings(tx)
  const rows = await visible(tx.selectFrom('device'), actor)
    .where('building_id', 'is not', null)
    .groupBy('building_id')
    .select(({ fn }) => [
      'building_id',
      fn.countAll<number>().as('devices'),
      sql<number>`count(*) filter (where status = any(${failed}::text[]))`.as('failed'),
      sql<number>`count(*) filter (where status = any(${warning}::text[]))`.as('warning'),
      sql<number>`count(*) filter (where connection_status = ${connectionStates.offline})`.as('offline'),
    ])
    .execute()
  const counts = new Map(rows.map((row) => [row.building_id, row]))
  return buildings.map(({ building, name }) => {
    const count = counts.get(building)
    return {
      building: { building, name },
      deviceCount: count?.devices ?? 0,
      failedDeviceCount: count?.failed ?? 0,
      warningDeviceCount: count?.warning ?? 0,
      offlineDeviceCount: count?.offline ?? 0,
    }
  })
}
