import { sql } from 'kysely'
import type { Building, BuildingSummary, Floor } from '@caretaker/contract/buildings.ts'
import { refuse } from '@caretaker/contract/refusal.ts'
import { buildingKey } from '@caretaker/rules/buildings/building.ts'
import { defaultFloor } from '@caretaker/rules/buildings/default-floor.ts'
import { connectionStates } from '@caretaker/rules/devices/connection.ts'
import type { ListingName } from '@caretaker/rules/devices/list.ts'
import { displayGroups } from '@caretaker/rules/devices/status.ts'
import type { Actor } from '@caretaker/rules/identity/actor.ts'
import { hidesPersonalData } from '@caretaker/rules/identity/actor.ts'
import type { TenantTx } from '../../postgres/tenant.ts'
import { known } from '../devices/visible.ts'
import { naturally } from '../../postgres/natural-order.ts'

/** All buildings by name, or only these. */
export async function listBuildings(tx: TenantTx, actor: Actor, ids?: readonly string[]): Promise<Building[]> {
  const buildings = await tx
    .selectFrom('building')
    .select(['id', 'name', 'address', 'postcode', 'latitude', 'longitude', 'default_floor_id', 'revision'])
    .where('tenant_id', '=', tx.tenant)
    .$if(ids !== undefined, (all) => all.where(sql<boolean>`id = any(${ids!}::uuid[])`))
    .orderBy(naturally(sql`name`))
    .execute()
  const floorsOf = Map.groupBy(await floorRows(tx, ids), (floor) => floor.building_id)
  return buildings.map((row) => {
    const floors = (floorsOf.get(row.id) ?? []).map(asFloor)
    return {
      building: row.id,
      name: row.name,
      lat: row.latitude,
      lng: row.longitude,
      floors,
      defaultFloor: defaultFloor(floors, ({ floor }) => floor === row.default_floor_id)?.floor ?? null,
      address: addressFor(actor, row),
      version: row.revision,
    }
  })
}

export const floorRows = (tx: TenantTx, buildings?: readonly string[]) =>
  tx
    .selectFrom('floor')
    .leftJoin('floor_plan', (join) =>
      join.on('floor_plan.tenant_id', '=', tx.tenant).onRef('floor_plan.floor_id', '=', 'floor.id'),
    )
    .select(['floor.id', 'building_id', 'number', 'floor.name', 'latitude', 'longitude', 'width', 'height', 'rotation'])
    .select(['revision', 'floor_plan.name as plan', 'file_id'])
    .where('floor.tenant_id', '=', tx.tenant)
    .$if(buildings !== undefined, (all) => all.where(sql<boolean>`building_id = any(${buildings!}::uuid[])`))
    .orderBy('number')
    .execute()

export const asFloor = (row: Awaited<ReturnType<typeof floorRows>>[number]): Floor => ({
  floor: row.id,
  number: row.number,
  name: row.name,
  lat: row.latitude,
  lng: row.longitude,
  width: row.width,
  height: row.height,
  image: row.plan ?? '',
  rotation: row.rotation,
  hasFloorPlan: row.file_id !== null,
  planId: row.file_id,
  version: row.revision,
})

const addressFor = (actor: Actor, { address, postcode }: { address: string; postcode: string }) =>
  hidesPersonalData(actor) ? null : [address, postcode].filter(Boolean).join(' ')

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

/** The id of a building, by id or else by name (estate gaps A5); 404 if there is none. */
export async function findBuilding(tx: TenantTx, named: string): Promise<string> {
  const row = await tx
    .selectFrom('building')
    .select('id')
    .where('tenant_id', '=', tx.tenant)
    .where((row) =>
      uuid.test(named)
        ? row('id', '=', named.toLowerCase())
        : row.or([
            row('compared_name', '=', buildingKey(named)),
            row(sql`lower(name)`, '=', named.trim().toLowerCase()),
          ]),
    )
    .orderBy('compared_name')
    .limit(1)
    .executeTakeFirst()
  if (!row) throw refuse('not found')
  return row.id
}

/** One building with its floors; 404 if there is none. */
export async function readBuilding(tx: TenantTx, actor: Actor, id: string): Promise<Building> {
  const [building] = await listBuildings(tx, actor, [id])
  if (!building) throw refuse('not found')
  return building
}

const failed: readonly string[] = [...displayGroups.Failed, ...displayGroups.FailedDevice]
const warning: readonly string[] = displayGroups.Warning
const installed: readonly string[] = [...displayGroups.Passed, ...warning, ...failed]

/** The counted groups of devices, each with its condition on a row. */
const counted = {
  all: sql<boolean>`true`,
  failed: sql<boolean>`status = any(${failed}::text[])`,
  warning: sql<boolean>`status = any(${warning}::text[])`,
  offline: sql<boolean>`connection_status = ${connectionStates.offline}`,
  notPlaced: sql<boolean>`(latitude is null or longitude is null)`,
  notPlacedFailed: sql<boolean>`(latitude is null or longitude is null) and status = any(${failed}::text[])`,
  notInstalled: sql<boolean>`status <> all(${installed}::text[])`,
}
const countOf = (which: keyof typeof counted) => sql<number>`count(*) filter (where ${counted[which]})`

const countsOfDevices = [
  countOf('all').as('devices'),
  countOf('failed').as('failed'),
  countOf('warning').as('warning'),
  countOf('offline').as('offline'),
] as const

/** The listing with all counted devices. A device in no listing has a listing without a name. */
const listingOf = (which: keyof typeof counted) => sql<ListingName | null>`
  case when min(coalesce(listing, '')) filter (where ${counted[which]}) = max(listing) filter (where ${counted[which]})
    then max(listing) filter (where ${counted[which]}) end`

/** Counts of the devices that the actor may read, one row for every building of the tenant. */
export async function summariseBuildings(tx: TenantTx, actor: Actor): Promise<BuildingSummary[]> {
  const buildings = await tx
    .selectFrom('building')
    .select(['id', 'name', 'address', 'postcode'])
    .where('tenant_id', '=', tx.tenant)
    .orderBy(naturally(sql`name`))
    .execute()
  const rows = await known(tx, actor)
    .where('building_id', 'is not', null)
    .groupBy('building_id')
    .select('building_id')
    .select([...countsOfDevices, countOf('notInstalled').as('not_installed')])
    .select([listingOf('all').as('in_all'), listingOf('failed').as('in_failed')])
    .select([listingOf('warning').as('in_warning'), listingOf('offline').as('in_offline')])
    .execute()
  const counts = new Map(rows.map((row) => [row.building_id, row]))
  return buildings.map((row) => {
    const count = counts.get(row.id)
    return {
      building: { building: row.id, name: row.name },
      address: addressFor(actor, row),
      listings: {
        all: count?.in_all ?? null,
        failed: count?.in_failed ?? null,
        warning: count?.in_warning ?? null,
        offline: count?.in_offline ?? null,
      },
      deviceCount: count?.devices ?? 0,
      failedDeviceCount: count?.failed ?? 0,
      warningDeviceCount: count?.warning ?? 0,
      offlineDeviceCount: count?.offline ?? 0,
      notInstalledDeviceCount: count?.not_installed ?? 0,
    }
  })
}

/** The same counts for each floor of a building with devices. */
export async function countFloors(tx: TenantTx, actor: Actor, building: string) {
  const rows = await known(tx, actor)
    .where('building_id', '=', building)
    .where('floor_id', 'is not', null)
    .groupBy('floor_id')
    .select('floor_id as floor')
    .select(countsOfDevices)
    .select([countOf('notPlaced').as('notPlaced'), countOf('notPlacedFailed').as('notPlacedFailed')])
    .select(listingOf('all').as('listing'))
    .execute()
  return rows.map((row) => ({ ...row, floor: row.floor! }))
}
