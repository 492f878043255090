import type { RawBuilder } from 'kysely'
import { sql } from 'kysely'
import type { MapBuilding, MapCluster } from '@caretaker/contract/maps.ts'
import type { MapPoint } from '@caretaker/contract/devices.ts'
import type { ConnectionStatus } from '@caretaker/rules/devices/connection.ts'
import { connectionStatuses } from '@caretaker/rules/devices/connection.ts'
import type { DisplayGroup } from '@caretaker/rules/devices/status.ts'
import { displayGroupNames, displayGroups } from '@caretaker/rules/devices/status.ts'
import type { Actor } from '@caretaker/rules/identity/actor.ts'
import { hidesPersonalData } from '@caretaker/rules/identity/actor.ts'
import { cellsInRadius, clusterRadius, clusterZoom, grouped, isUnclustered } from '@caretaker/rules/maps/clusters.ts'
import type { Frame, Place } from '@caretaker/rules/maps/mercator.ts'
import { inWorld, wrapped } from '@caretaker/rules/maps/mercator.ts'
import type { NamedPlace } from '@caretaker/rules/maps/sketch.ts'
import type { MapCounts, MapStatusFilter } from '@caretaker/rules/maps/status.ts'
import {
  connectionSeverityOf,
  noCounts,
  severityOfGroup,
  worstConnection,
  worstGroup,
} from '@caretaker/rules/maps/status.ts'
import { can } from '@caretaker/rules/rights/can.ts'
import { searchConditions } from '../../lists/search.ts'
import { hasWords, searchForm } from '../../lists/words.ts'
import type { TenantTx } from '../../postgres/tenant.ts'
import { deviceList } from '../devices/list.ts'
import { asMapPoints, mapColumns, placedDevices } from '../devices/map.ts'
import { known } from '../devices/visible.ts'
import { naturally } from '../../postgres/natural-order.ts'

interface Asked {
  frame: Frame
  zoom: number
  by: MapStatusFilter
  find?: string | undefined
  /** Rows of the list. */
  most: number
}

/** Maximum number of single markers in an answer. */
const mostPoints = 1000

/** Items that can be on a map. */
interface Source<T> {
  /**
   * The placed items that meet a condition on the columns `latitude` and `longitude`: `id`, `name` as it is sorted,
   * `latitude`, `longitude`, and their state as `severity` and `unreached`, null if unknown. Read from an index
   * alone.
   */
  things: (where: RawBuilder<boolean>) => RawBuilder<unknown>
  /** Whether an item matches every search word. */
  bears: (typed: string) => Promise<RawBuilder<boolean>>
  idOf: (thing: T) => string
  read: (ids: readonly string[]) => Promise<T[]>
}

/** The severity of a connection, by the state in a column. */
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
    'device.name_folded as name',
    'device.latitude',
    'device.longitude',
    'device.severity',
    severityOfState(sql.ref('device.connection_status')).as('unreached'),
  ])
  return {
    things: (where) => sql`${things.where(where)}`,
    bears: async (typed) => {
      const words = await searchConditions(deviceList, tx, actor, typed)
      return words.length ? sql`(${sql.join(words, sql` and `)})` : sql`true`
    },
    idOf: ({ deviceId }) => deviceId,
    read: async (ids) => {
      const rows = await placedDevices(tx, actor)
        .where(sql<boolean>`device.id = any(${ids}::uuid[])`)
        .select(mapColumns)
        .execute()
      return asMapPoints(tx, rows)
    },
  }
}

/** Degrees: a wider frame shows a region. */
const widest = 1

export function buildingsOnMap(
  tx: TenantTx,
  actor: Actor,
  { frame, only }: { frame?: Frame; only?: readonly string[] | undefined },
): Source<MapBuilding> {
  const isNamed = only === undefined ? sql`true` : sql`id = any(${only}::uuid[])`
  const isWide = frame === undefined || frame.east - frame.west > widest || frame.west > frame.east
  const placed = (where: RawBuilder<boolean>) => sql`
    from building where building.tenant_id = ${tx.tenant} and latitude is not null and longitude is not null
      and ${isNamed} and ${where}`
  const things = (where: RawBuilder<boolean>) => {
    const fared = known(tx, actor)
      .where('device.building_id', 'is not', null)
      // A wide frame contains most of a client, so reading everything in index order is faster than looking up each.
      .$if(!isWide, (all) => all.where(sql<boolean>`device.building_id in (select id ${placed(where)})`))
      .groupBy('device.building_id')
      .select([
        'device.building_id',
        sql`max(device.severity)`.as('severity'),
        sql`max(${severityOfState(sql.ref('device.connection_status'))})`.as('unreached'),
      ])
    return sql`
      select building.id, lower(name) as name, latitude, longitude, fared.severity, fared.unreached
      from (select id, name, latitude, longitude ${placed(where)}) as building
      left join (${fared}) as fared on fared.building_id = building.id`
  }
  return {
    things,
    // Users who may not read addresses cannot search them either.
    bears: (typed) =>
      Promise.resolve(
        hasWords(
          [searchForm(hidesPersonalData(actor) ? sql`name` : sql`name || ' ' || address || ' ' || postcode`)],
          typed,
        ),
      ),
    idOf: ({ building }) => building,
    read: (ids) => readBuildings(tx, actor, ids),
  }
}

async function readBuildings(tx: TenantTx, actor: Actor, ids: readonly string[]): Promise<MapBuilding[]> {
  const rows = await tx
    .selectFrom('building')
    .where('tenant_id', '=', tx.tenant)
    .where(sql<boolean>`id = any(${ids}::uuid[])`)
    .select(['id', 'name', 'address', 'postcode', 'latitude', 'longitude'])
    .execute()
  const within = await known(tx, actor)
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
  const hidden = hidesPersonalData(actor)
  return rows.map(({ id, name, address, postcode, latitude, longitude }) => {
    const counts = noCounts()
    for (const { status, connection_status: state, devices } of of.get(id) ?? []) {
      counts.device[groupOf(status)] += Number(devices)
      counts.connection[state] += Number(devices)
    }
    return {
      ...{ building: id, name, lat: latitude!, lng: longitude!, counts },
      address: hidden ? null : [address, postcode].filter(Boolean).join(' '),
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

/** The counts of one cell as the database returns them, in degrees, by group and state. */
type Cell = Record<DisplayGroup | ConnectionStatus, number> & {
  n: number
  /** Sums, for the centre. */
  lat: number
  lng: number
  west: number
  south: number
  east: number
  north: number
  /** The number of the cell among all at its zoom. */
  place: number
}

/** The values of each cell, in this order: a name for each number would be most of the data. */
const parts = [
  ...['n', 'lat', 'lng', 'west', 'south', 'east', 'north', 'place'],
  ...[...displayGroupNames, ...connectionStatuses],
] as readonly (keyof Cell)[]

/** An item without a group counts as not installed; a building without devices is not in a group. */
const isOfGroup = (group: DisplayGroup) =>
  group === 'NotInstalled'
    ? sql`severity <> all(${displayGroupNames.filter((other) => other !== group).map(severityOfGroup)}::int[])`
    : sql`severity = ${severityOfGroup(group)}::int`
const sumWhere = (condition: RawBuilder<unknown>, as: string) =>
  sql`coalesce(sum(n) filter (where ${condition}), 0) as ${sql.ref(as)}`
const tallies = sql.join([
  ...displayGroupNames.map((group) => sumWhere(isOfGroup(group), group)),
  ...connectionStatuses.map((state) => sumWhere(sql`unreached = ${connectionSeverityOf(state)}::int`, state)),
])

/** Whether a place is in the frame; one across the date line has two parts. */
const isWithin = ({ west, south, east, north }: Frame) =>
  sql<boolean>`(latitude between ${south} and ${north} and ${
    west > east
      ? sql`(longitude >= ${west}::float8 or longitude <= ${east}::float8)`
      : sql`longitude between ${west}::float8 and ${east}::float8`
  })`

/** The content of a map frame at a zoom. A frame across the date line continues in the world east of it. */
export async function onMap<T>(
  tx: TenantTx,
  { things, bears, idOf, read }: Source<T>,
  { frame, zoom, by, find, most }: Asked,
) {
  const radius = clusterRadius(zoom)
  const { west, east } = frame
  const beyond = west > east ? sql`case when longitude < ${west}::float8 then 360 else 0 end` : sql`0`
  const alone = isUnclustered(zoom)
  // Half as high as wide in degrees, which makes a square on the screen at 60° north.
  const cell = { width: (360 * radius) / cellsInRadius, height: (180 * radius) / cellsInRadius }
  // 50,000 items take 5 MB, which would otherwise be sorted on disk.
  await sql`set local work_mem = '32MB'`.execute(tx)
  const found = await sql<{
    cells: number[][] | null
    lone: [place: number, id: string][] | null
    list: string[] | null
    ids: string[] | null
  }>`
    with seen as (
      select id, name, severity, unreached, latitude as lat, longitude + ${beyond} as lng,
        -- One number, from north to south and from west to east.
        floor(latitude / ${-cell.height}::float8) * 1e8 + floor((longitude + ${beyond}) / ${cell.width}::float8) as place
      from (${things(isWithin(frame))}) as thing),
    -- Few are told apart in a cell: what is asked of each thing is asked once, and how many are of each group and state of the few.
    tally as (
      select place, severity, unreached, count(*) as n, sum(lat) as lat, sum(lng) as lng, min(lng) as west, max(lng) as east,
        min(lat) as south, max(lat) as north
      from seen group by place, severity, unreached),
    cell as (
      select sum(n) as n, ${tallies}, sum(lat) as lat, sum(lng) as lng, min(west) as west, max(east) as east,
        min(south) as south, max(north) as north, place
      from tally group by place)
    select (select json_agg(json_build_array(${sql.join(parts.map((part) => sql.ref(part)))}) order by place) from cell) as cells,
      (select json_agg(json_build_array(place, id)) from seen where place in (select place from cell where n = 1)) as lone,
      (select array_agg(id) from (
        select id from ${find === undefined ? sql`seen` : sql`(${things(await bears(find))}) as found`}
        order by ${by === 'device' ? sql`severity desc nulls last, unreached desc nulls last` : sql`unreached desc nulls last, severity desc nulls last`},
          ${naturally(sql`name`)}, id
        limit ${most}) as worst) as list,
      case when ${alone}::bool then (select array_agg(id) from (select id from seen limit ${mostPoints + 1}) as few) end as ids`.execute(
    tx,
  )
  const { cells, lone, list, ids } = found.rows[0]!
  const counted = (cells ?? []).map(
    (values) => Object.fromEntries(parts.map((part, at) => [part, values[at]])) as unknown as Cell,
  )
  const each = ids !== null && ids.length <= mostPoints
  const clusters = each ? [] : grouped(counted.map(centred), radius)
  const single = (group: Cell[]) => group.length === 1 && group[0]!.n === 1
  const idAt = new Map(lone)
  const singles = each ? ids : clusters.filter(single).map(([cell]) => idAt.get(cell!.place)!)
  const named = await read([...new Set([...singles, ...(list ?? [])])])
  const byId = new Map(named.map((thing) => [idOf(thing), thing]))
  const known = (wanted: readonly string[]) => wanted.flatMap((id) => byId.get(id) ?? [])
  return {
    clusters: clusters.filter((group) => !single(group)).map((group) => asCluster(group, zoom)),
    points: known(singles),
    list: known(list ?? []),
    inFrame: sumOf(counted, ({ n }) => n),
    counts: countsOf(counted),
  }
}

/** The number of items in all, and the area that they cover. */
export async function extentOf<T>(tx: TenantTx, { things }: Source<T>) {
  const { rows } = await sql<{ total: number } & { [Side in keyof Frame]: number | null }>`
    select count(*) as total, min(longitude) as west, max(longitude) as east, min(latitude) as south, max(latitude) as north
    from (${things(sql`true`)}) as thing`.execute(tx)
  const { total, ...extent } = rows[0]!
  return { total, extent: extent.west === null ? null : (extent as Frame) }
}

const sumOf = (cells: readonly Cell[], of: (cell: Cell) => number) => cells.reduce((all, cell) => all + of(cell), 0)
const middleOf = (cells: readonly Cell[]): Place => {
  const count = sumOf(cells, ({ n }) => n)
  return { lat: sumOf(cells, ({ lat }) => lat) / count, lng: sumOf(cells, ({ lng }) => lng) / count }
}

const centred = (cell: Cell) => ({ ...cell, ...inWorld(middleOf([cell])) })

function countsOf(cells: readonly Cell[]): MapCounts {
  const counts = noCounts()
  for (const group of displayGroupNames) counts.device[group] = sumOf(cells, (cell) => cell[group])
  for (const state of connectionStatuses) counts.connection[state] = sumOf(cells, (cell) => cell[state])
  return counts
}

function asCluster(cells: Cell[], zoom: number): MapCluster {
  const { lat, lng } = middleOf(cells)
  return {
    // Independent of the frame, so that a page recognises the cluster.
    id: `${clusterZoom(zoom)}:${cells[0]!.place}`,
    ...{ lat, lng: wrapped(lng) },
    count: sumOf(cells, ({ n }) => n),
    counts: countsOf(cells),
    extent: {
      west: wrapped(Math.min(...cells.map(({ west }) => west))),
      south: Math.min(...cells.map(({ south }) => south)),
      east: wrapped(Math.max(...cells.map(({ east }) => east))),
      north: Math.max(...cells.map(({ north }) => north)),
    },
  }
}

/** Maximum number of buildings with made-up streets around them; zoomed out further, streets are not visible. */
const mostSketched = 40

/** The places of buildings in a frame in which the actor sees a device. */
export async function sketchedPlaces(
  tx: TenantTx,
  actor: Actor,
  { west, south, east, north }: Frame,
): Promise<Place[]> {
  const rows = await seenBuildings(tx, actor)
    .where(sql<boolean>`latitude between ${south} and ${north} and longitude between ${west} and ${east}`)
    .select(['latitude as lat', 'longitude as lng'])
    .orderBy('id')
    .limit(mostSketched + 1)
    .execute()
  return rows.length > mostSketched ? [] : rows.map(({ lat, lng }) => ({ lat: lat!, lng: lng! }))
}

/** Maximum number of places in the drawing of a country. */
const mostTowns = 300

/** The places of buildings, clustered by neighbourhood, with the town from an address there. */
export async function sketchedTowns(tx: TenantTx, actor: Actor): Promise<NamedPlace[]> {
  const rows = await seenBuildings(tx, actor)
    .where('latitude', 'is not', null)
    .groupBy([sql`floor(latitude * 20)`, sql`floor(longitude * 12)`])
    .select([
      sql<number>`avg(latitude)`.as('lat'),
      sql<number>`avg(longitude)`.as('lng'),
      sql<string | null>`max(nullif(split_part(address, ', ', 2), ''))`.as('town'),
    ])
    .orderBy('lat')
    .orderBy('lng')
    .limit(mostTowns)
    .execute()
  const hidden = hidesPersonalData(actor)
  return rows.map(({ lat, lng, town }) => ({ lat, lng, town: (!hidden && town) || undefined }))
}

/** Buildings in which the actor sees a device. */
function seenBuildings(tx: TenantTx, actor: Actor) {
  const within = known(tx, actor)
    .where(sql<boolean>`device.building_id = building.id`)
    .select('device.id')
  return tx
    .selectFrom('building')
    .where('tenant_id', '=', tx.tenant)
    .where(sql<boolean>`(${can(actor, 'see buildings')}::bool or exists (${within}))`)
}
