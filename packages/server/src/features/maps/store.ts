import type { RawBuilder } from 'kysely'
import { sql } from 'kysely'
import type { MapBuilding, MapCluster } from '@caretaker/contract/maps.ts'
import type { MapPoint } from '@caretaker/contract/devices.ts'
import type { ConnectionStatus } from '@caretaker/rules/devices/connection.ts'
import { connectionStatuses } from '@caretaker/rules/devices/connection.ts'
import type { DisplayGroup } from '@caretaker/rules/devices/status.ts'
import { displayGroupNames, displayGroups } from '@caretaker/rules/devices/status.ts'
import type { Actor } from '@caretaker/rules/identity/actor.ts'
import { cellsInRadius, clusterRadius, grouped, standsAlone } from '@caretaker/rules/maps/clusters.ts'
import type { Frame, Place } from '@caretaker/rules/maps/mercator.ts'
import { ofWorld } from '@caretaker/rules/maps/mercator.ts'
import type { MapCounts, MapStatusFilter } from '@caretaker/rules/maps/status.ts'
import {
  connectionSeverityOf,
  noCounts,
  severityOfGroup,
  worstConnection,
  worstGroup,
} from '@caretaker/rules/maps/status.ts'
import { can } from '@caretaker/rules/rights/can.ts'
import type { TenantTx } from '../../postgres/tenant.ts'
import { asMapPoint, mapColumns, placedDevices } from '../devices/map.ts'
import { readable } from '../devices/visible.ts'

interface Asked {
  frame: Frame
  zoom: number
  by: MapStatusFilter
}

/** Markers that are told one by one at most, and rows of the list. */
const most = { points: 1000, list: 100 } as const

/** Something that can be on a map. */
interface Source<T> {
  /** All that there is: `id`, `name`, `latitude`, `longitude`, and how bad it is as `severity` and `unreached`, null where nobody knows. */
  things: RawBuilder<unknown>
  idOf: (thing: T) => string
  read: (ids: readonly string[]) => Promise<T[]>
}

/** How bad a connection is, by the state in a column. */
const severityOfState = (column: RawBuilder<unknown>) =>
  sql`case ${column} ${sql.join(
    connectionStatuses.map((state) => sql`when ${state} then ${connectionSeverityOf(state)}::int`),
    sql` `,
  )} end`

export function devicesOnMap(
  tx: TenantTx,
  actor: Actor,
  { building, floor }: { building?: string | undefined; floor?: string | undefined },
): Source<MapPoint> {
  const placed = placedDevices(tx, actor)
    .$if(building !== undefined, (all) => all.where('device.building_id', '=', building!))
    .$if(floor !== undefined, (all) => all.where('device.floor_id', '=', floor!))
  const things = placed.select([
    'device.id',
    'device.name',
    'device.latitude',
    'device.longitude',
    'device.severity',
    severityOfState(sql.ref('device.connection_status')).as('unreached'),
  ])
  return {
    things: sql`${things}`,
    idOf: ({ deviceId }) => deviceId,
    read: async (ids) => {
      const rows = await placedDevices(tx, actor)
        .where(sql<boolean>`device.id = any(${ids}::uuid[])`)
        .select(mapColumns)
        .execute()
      return rows.map(asMapPoint)
    },
  }
}

export function buildingsOnMap(tx: TenantTx, actor: Actor): Source<MapBuilding> {
  const fared = readable(tx, actor)
    .where('device.building_id', 'is not', null)
    .groupBy('device.building_id')
    .select([
      'device.building_id',
      sql`max(device.severity)`.as('severity'),
      sql`max(${severityOfState(sql.ref('device.connection_status'))})`.as('unreached'),
    ])
  const things = sql`
    select building.id, building.name, building.latitude, building.longitude, fared.severity, fared.unreached
    from building left join (${fared}) as fared on fared.building_id = building.id
    where building.tenant_id = ${tx.tenant} and building.latitude is not null and building.longitude is not null`
  return { things, idOf: ({ building }) => building, read: (ids) => readBuildings(tx, actor, ids) }
}

async function readBuildings(tx: TenantTx, actor: Actor, ids: readonly string[]): Promise<MapBuilding[]> {
  const rows = await tx
    .selectFrom('building')
    .where('tenant_id', '=', tx.tenant)
    .where(sql<boolean>`id = any(${ids}::uuid[])`)
    .select(['id', 'name', 'latitude', 'longitude'])
    .execute()
  const within = await readable(tx, actor)
    .where(sql<boolean>`device.building_id = any(${ids}::uuid[])`)
    .groupBy(['device.building_id', 'device.status', 'device.connection_status'])
    .select(({ fn }) => [
      'device.building_id',
      'device.status',
      'device.connection_status',
      fn.countAll<string>().as('devices'),
    ])
    .execute()
  const of = Map.groupBy(within, (row) => row.building_id)
  return rows.map(({ id, name, latitude, longitude }) => {
    const counts = noCounts()
    for (const { status, connection_status: state, devices } of of.get(id) ?? []) {
      counts.device[groupOf(status)] += Number(devices)
      counts.connection[state] += Number(devices)
    }
    return {
      ...{ building: id, name, lat: latitude!, lng: longitude!, counts },
      devices: Object.values(counts.device).reduce((sum, some) => sum + some, 0),
      deviceStatus: worstGroup(counts) ?? null,
      connectionStatus: worstConnection(counts) ?? null,
    }
  })
}

const groups = new Map<string, DisplayGroup>(
  displayGroupNames.flatMap((group) => displayGroups[group].map((status) => [status, group] as const)),
)
const groupOf = (status: string): DisplayGroup => groups.get(status) ?? 'NotInstalled'

/** What the database has counted in one cell of one severity: sums and bounds in the square of the world. */
interface Cell {
  n: number
  severity: number | null
  unreached: number | null
  sx: number
  sy: number
  x0: number
  x1: number
  y0: number
  y1: number
  one: string
}

const groupBySeverity = new Map(displayGroupNames.map((group) => [severityOfGroup(group), group]))
const stateBySeverity = new Map(connectionStatuses.map((state) => [connectionSeverityOf(state), state]))

/** What a frame shows at a zoom. A frame over the date line goes on in the world east of it. */
export async function onMap<T>(tx: TenantTx, { things, idOf, read }: Source<T>, { frame, zoom, by }: Asked) {
  const radius = clusterRadius(zoom)
  const { west, south, east, north } = frame
  const across = west > east
  const alone = standsAlone(zoom)
  const found = await sql<{
    cells: Cell[] | null
    list: string[] | null
    ids: string[] | null
    total: number
    west: number | null
    south: number | null
    east: number | null
    north: number | null
  }>`
    with thing as materialized (${things}),
    seen as materialized (
      select id, name, severity, unreached,
        longitude / 360 + 0.5 + case when ${across}::bool and longitude < ${west}::float8 then 1 else 0 end as x,
        0.5 - ln((1 + sine) / (1 - sine)) / (4 * pi()) as y
      from (select *, sin(radians(greatest(-85.051129, least(85.051129, latitude)))) as sine from thing) as thing
      where latitude between ${south}::float8 and ${north}::float8 and (case when ${across}::bool
        then longitude >= ${west}::float8 or longitude <= ${east}::float8
        else longitude between ${west}::float8 and ${east}::float8 end)),
    placed as (
      select seen.*, floor(x * ${cellsInRadius / radius}::float8) as cell_x, floor(y * ${cellsInRadius / radius}::float8) as cell_y
      from seen),
    cell as (
      select count(*) as n, severity, unreached, sum(x) as sx, sum(y) as sy,
        min(x) as x0, max(x) as x1, min(y) as y0, max(y) as y1, min(id::text) as one
      from placed
      group by cell_y, cell_x, severity, unreached
      order by cell_y, cell_x, severity, unreached)
    select (select json_agg(cell) from cell) as cells,
      (select array_agg(id) from (
        select id from seen
        order by ${by === 'device' ? sql`severity desc nulls last, unreached desc nulls last` : sql`unreached desc nulls last, severity desc nulls last`},
          lower(name), id
        limit ${most.list}) as worst) as list,
      case when ${alone}::bool then (select array_agg(id) from (select id from seen limit ${most.points + 1}) as few) end as ids,
      (select count(*) from thing) as total,
      (select min(longitude) from thing) as west, (select max(longitude) from thing) as east,
      (select min(latitude) from thing) as south, (select max(latitude) from thing) as north`.execute(tx)
  const { cells, list, ids, total, ...extent } = found.rows[0]!
  const each = ids !== null && ids.length <= most.points
  const clusters = each ? [] : grouped((cells ?? []).map(centred), radius)
  const single = (group: Cell[]) => group.length === 1 && group[0]!.n === 1
  const singles = each ? ids : clusters.filter(single).map(([cell]) => cell!.one)
  const named = await read([...new Set([...singles, ...(list ?? [])])])
  const byId = new Map(named.map((thing) => [idOf(thing), thing]))
  const known = (wanted: readonly string[]) => wanted.flatMap((id) => byId.get(id) ?? [])
  const counts = countsOf(cells ?? [])
  return {
    clusters: clusters.filter((group) => !single(group)).map(asCluster),
    points: known(singles),
    list: known(list ?? []),
    inFrame: (cells ?? []).reduce((sum, { n }) => sum + n, 0),
    counts,
    total: Number(total),
    extent: extent.west === null ? null : (extent as Frame),
  }
}

const centred = (cell: Cell) => ({ ...cell, x: cell.sx / cell.n, y: cell.sy / cell.n })

function countsOf(cells: readonly Cell[]): MapCounts {
  const counts = noCounts()
  for (const { n, severity, unreached } of cells) {
    if (severity !== null) counts.device[groupBySeverity.get(severity) ?? 'NotInstalled'] += n
    const state: ConnectionStatus | undefined = unreached === null ? undefined : stateBySeverity.get(unreached)
    if (state) counts.connection[state] += n
  }
  return counts
}

function asCluster(cells: Cell[]): MapCluster {
  const sum = (of: (cell: Cell) => number) => cells.reduce((all, cell) => all + of(cell), 0)
  const count = sum(({ n }) => n)
  const northWest = ofWorld({ x: Math.min(...cells.map(({ x0 }) => x0)), y: Math.min(...cells.map(({ y0 }) => y0)) })
  const southEast = ofWorld({ x: Math.max(...cells.map(({ x1 }) => x1)), y: Math.max(...cells.map(({ y1 }) => y1)) })
  return {
    id: cells[0]!.one,
    ...ofWorld({ x: sum(({ sx }) => sx) / count, y: sum(({ sy }) => sy) / count }),
    count,
    counts: countsOf(cells),
    extent: { west: northWest.lng, north: northWest.lat, east: southEast.lng, south: southEast.lat },
  }
}

/** Buildings that a sketch is drawn about at most; further out nobody sees its streets. */
const mostSketched = 40

/** Where the buildings in a frame are, of those in which the actor sees something. */
export async function sketchedPlaces(
  tx: TenantTx,
  actor: Actor,
  { west, south, east, north }: Frame,
): Promise<Place[]> {
  const within = readable(tx, actor)
    .where(sql<boolean>`device.building_id = building.id`)
    .select('device.id')
  const rows = await tx
    .selectFrom('building')
    .where('tenant_id', '=', tx.tenant)
    .where(sql<boolean>`latitude between ${south} and ${north} and longitude between ${west} and ${east}`)
    .where(sql<boolean>`(${can(actor, 'see buildings')}::bool or exists (${within}))`)
    .select(['latitude as lat', 'longitude as lng'])
    .orderBy('id')
    .limit(mostSketched + 1)
    .execute()
  return rows.length > mostSketched ? [] : rows.map(({ lat, lng }) => ({ lat: lat!, lng: lng! }))
}
