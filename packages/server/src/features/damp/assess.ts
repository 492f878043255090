import { sql } from 'kysely'
import { dayAt } from '@caretaker/rules/calendar/days.ts'
import type { ColdLevel, DampFigures, DampHour, DampLevel, DampState } from '@caretaker/rules/properties/damp.ts'
import {
  dampHour,
  dampLevels,
  dampMemory,
  dampPressingSince,
  dampRank,
  dampSince,
  dampStateAfter,
  dampStateOf,
  dampUntil,
  isHeatingSeason,
  outsideOf,
  riskOf,
} from '@caretaker/rules/properties/damp.ts'
import { changed } from '../../changes/changed.ts'
import { zoneOf } from '../../lists/read.ts'
import { doDue, makeDue } from '../../postgres/due.ts'
import type { Db } from '../../postgres/pool.ts'
import { hourlyOf } from '../../postgres/hourly.ts'
import type { TenantTx } from '../../postgres/tenant.ts'
import { inTenant } from '../../postgres/tenant.ts'
import { setDampLevels } from '../../properties/states.ts'
import { refreshFrost } from '../heating/refresh.ts'
import { dampFiguresOf } from './figures.ts'
import { packHours, unpackHours } from './hours.ts'

const hour = 3_600_000
/** Rooms per transaction, where one hour of each is read and where six weeks are read. */
const roomsAtOnce = 2000
const recomputedAtOnce = 100
/** Concurrent transactions. */
const lanes = 2
/** Each room is recomputed from all its hours once in this many runs (a week), to include late readings. */
const runsOfRound = 168
/** How long after the full hour the assessment runs, in ms: the sensors' readings have arrived by then. */
const assessedAfter = 7 * 60_000

/**
 * Assesses the rooms of all tenants where due, each up to the last full hour; returns how many rooms. Usually the
 * next hour is added to the stored assessment; some rooms are recomputed in each run.
 */
export async function assessDamp(db: Db, now = new Date()): Promise<number> {
  return doDue(db, {
    work: 'assess damp',
    now,
    run: async (tenant) => {
      const rooms = await assessTenant(db, tenant, +now)
      await inTenant(db, tenant, (tx) => storeWorstLevels(tx))
      await inTenant(db, tenant, (tx) => refreshFrost(tx, now))
      return rooms
    },
    next: async (tx) => ((await hasSensors(tx)) ? new Date(dampUntil(+now) + hour + assessedAfter) : null),
  })
}

/** Marks all rooms of the tenant for recomputation, because its figures changed. */
export async function markForRecomputation(tx: TenantTx): Promise<void> {
  await tx
    .updateTable('damp_room')
    .set({ reckoned_at: new Date(0) })
    .where('tenant_id', '=', tx.tenant)
    .execute()
  await makeDue(tx, 'assess damp')
}

/** Whether the temperature of any room is measured: frost needs only that, damp needs humidity too. */
async function hasSensors(tx: TenantTx): Promise<boolean> {
  const found = await tx
    .selectFrom('series')
    .select('id')
    .where('tenant_id', '=', tx.tenant)
    .where('metric', '=', 'temperature')
    .limit(1)
    .executeTakeFirst()
  return found !== undefined
}

/** The settings for assessing a tenant's rooms. */
interface Terms {
  now: number
  /** The end of the last hour that counts. */
  until: number
  isSeason: boolean
  figures: DampFigures
}

async function termsOf(tx: TenantTx, now: number): Promise<Terms> {
  const isSeason = isHeatingSeason(dayAt(now, await zoneOf(tx)))
  return { now, until: dampUntil(now), isSeason, figures: await dampFiguresOf(tx) }
}

async function assessTenant(db: Db, tenant: string, now: number): Promise<number> {
  const { terms, outdated } = await inTenant(db, tenant, async (tx) => {
    await forgetMoved(tx)
    const known = await termsOf(tx, now)
    return { terms: known, outdated: await roomsToRecompute(tx, known) }
  })
  for (let at = 0; at < outdated.length; at += recomputedAtOnce)
    await inTenant(db, tenant, (tx) => recompute(tx, terms, outdated.slice(at, at + recomputedAtOnce)))
  const rest = await inTenant(db, tenant, (tx) => roomsBehind(tx, terms))
  let begun = 0
  // While one lane waits for the database another computes.
  const lane = async () => {
    while (begun < rest.length) {
      const some = rest.slice(begun, (begun += roomsAtOnce))
      await inTenant(db, tenant, (tx) => addHours(tx, terms, some))
    }
  }
  await Promise.all(Array.from({ length: lanes }, lane))
  return outdated.length + rest.length
}

/** The rooms that lack further hours. */
async function roomsBehind(tx: TenantTx, { until }: Terms): Promise<string[]> {
  const rows = await tx
    .selectFrom('damp_room')
    .select('device_id')
    .where('tenant_id', '=', tx.tenant)
    .where('until', '<', new Date(until))
    .orderBy('device_id')
    .execute()
  return rows.map((row) => row.device_id)
}

/** Deletes the assessments of sensors that are not in a property any more. */
async function forgetMoved(tx: TenantTx): Promise<void> {
  await sql`
    delete from damp_room using device
    where damp_room.tenant_id = ${tx.tenant} and device.tenant_id = ${tx.tenant} and device.id = damp_room.device_id
      and device.property_id is null`.execute(tx)
}

/** The room sensors without a stored assessment, with an outdated one, or due for recomputation. */
async function roomsToRecompute(tx: TenantTx, { until }: Terms): Promise<string[]> {
  // Materialized: inlined, a nested loop groups the series again for each device.
  const { rows } = await sql<{ id: string }>`
    with air as materialized (
      select device_id from series where tenant_id = ${tx.tenant} and metric in ('temperature', 'humidity')
      group by device_id having count(*) = 2)
    select device.id from device join air on air.device_id = device.id
    left join damp_room room on room.tenant_id = ${tx.tenant} and room.device_id = device.id
    where device.tenant_id = ${tx.tenant} and device.property_id is not null
      and (room.device_id is null or room.reckoned_at = 'epoch' or room.until < ${new Date(until - 24 * hour)})
    union
    (select device_id from damp_room where tenant_id = ${tx.tenant} and until < ${new Date(until)}
      order by reckoned_at
      limit (select ceil(count(*)::float8 / ${runsOfRound}) from damp_room where tenant_id = ${tx.tenant}))
    order by 1`.execute(tx)
  return rows.map(({ id }) => id)
}

interface Kept {
  device_id: string
  property_id: string
  level: DampLevel | null
  since: Date | null
  pressing_since: Date | null
}

const before = sql`room.level, room.since, room.pressing_since`

/** Assesses rooms from all their hours. */
async function recompute(tx: TenantTx, terms: Terms, ids: readonly string[]): Promise<void> {
  const { rows } = await sql<Kept>`
    select device.id as device_id, device.property_id, ${before} from device
    left join damp_room room on room.tenant_id = ${tx.tenant} and room.device_id = device.id
    where device.tenant_id = ${tx.tenant} and device.id = any(${ids}::uuid[]) and device.property_id is not null`.execute(
    tx,
  )
  const hoursOf = await readHours(tx, terms, rows, terms.until - dampMemory)
  await write(
    tx,
    terms,
    rows.map((room) => {
      const hours = hoursOf(room)
      const since = room.level === null ? new Date(dampSince(hours, terms)) : room.since
      return { ...room, since, state: dampStateOf(hours, terms) }
    }),
    true,
  )
}

/** Adds the hours since the last assessment to rooms. */
async function addHours(tx: TenantTx, terms: Terms, ids: readonly string[]): Promise<void> {
  const { rows } = await sql<Kept & { hours: Buffer; mould: number; dry: number; until: Date }>`
    select room.device_id, device.property_id, room.hours, room.mould, room.dry, room.until, ${before} from damp_room room
    join device on device.tenant_id = ${tx.tenant} and device.id = room.device_id
    where room.tenant_id = ${tx.tenant} and room.device_id = any(${ids}::uuid[]) and device.property_id is not null`.execute(
    tx,
  )
  if (!rows.length) return
  const hoursOf = await readHours(tx, terms, rows, Math.min(...rows.map(({ until }) => +until)))
  await write(
    tx,
    terms,
    rows.map((room) => {
      const known = unpackHours(room.hours, +room.until, terms.figures.outside)
      const more = hoursOf(room).filter(({ at }) => at >= +room.until)
      const mould = { index: room.mould, dry: room.dry }
      return { ...room, state: dampStateAfter({ mould, hours: known }, more.map(dampHour), terms) }
    }),
    false,
  )
}

type Room = Pick<Kept, 'device_id' | 'property_id'>

/**
 * The hours of rooms from an instant on, earliest first, with the weather that any device of their property measured.
 */
export async function readHours(
  tx: TenantTx,
  { until, figures }: Pick<Terms, 'until' | 'figures'>,
  rooms: readonly Room[],
  from: number,
): Promise<(room: Room) => DampHour[]> {
  // As whole numbers, hours since the epoch and hundredths, which are read several times as fast.
  const means = sql`array_agg((extract(epoch from hourly.hour) / 3600)::int) as hours,
    array_agg(floor(hourly.total / hourly.n * 100 + 0.5)::int) as means`
  const hours = hourlyOf(tx, sql`series.id`, { from: new Date(from), to: new Date(+until - 1) })
  const counted = sql`lateral ${hours} as hourly on hourly.n > 0`
  const air = await sql<{ id: string; metric: 'temperature' | 'humidity'; hours: number[]; means: number[] }>`
    select series.device_id as id, series.metric, ${means}
    from series join ${counted}
    where series.tenant_id = ${tx.tenant} and series.device_id = any(${rooms.map((room) => room.device_id)}::uuid[])
      and series.metric in ('temperature', 'humidity')
    group by 1, 2`.execute(tx)
  const weather = await sql<{ id: string; hours: number[]; means: number[] }>`
    select device.property_id as id, ${means}
    from device join series on series.tenant_id = ${tx.tenant} and series.device_id = device.id
      and series.metric = 'outsideTemperature'
    join ${counted}
    where device.tenant_id = ${tx.tenant}
      and device.property_id = any(${[...new Set(rooms.map((room) => room.property_id))]}::uuid[])
    group by 1`.execute(tx)
  const byHour = ({ hours, means }: { hours: number[]; means: number[] }) =>
    new Map(hours.map((at, index) => [at, means[index]! / 100]))
  const temperature = new Map(air.rows.flatMap((row) => (row.metric === 'temperature' ? [[row.id, row]] : [])))
  const humidity = new Map(air.rows.flatMap((row) => (row.metric === 'humidity' ? [[row.id, byHour(row)]] : [])))
  const outside = new Map(weather.rows.map((row) => [row.id, byHour(row)]))
  return ({ device_id: id, property_id: home }) => {
    const warm = temperature.get(id)
    const moist = humidity.get(id)
    if (!warm || !moist) return []
    const weatherOf = outside.get(home)
    const hours: DampHour[] = []
    for (const [index, at] of warm.hours.entries()) {
      const percent = moist.get(at)
      if (percent === undefined) continue
      const air = { at: at * hour, temperature: warm.means[index]! / 100, humidity: percent }
      hours.push({ ...air, ...outsideOf(air.at, weatherOf?.get(at), figures.outside) })
    }
    return hours.sort((a, b) => a.at - b.at)
  }
}

/** Stores the assessments of rooms, and announces those whose alerts may change. */
async function write(
  tx: TenantTx,
  terms: Terms,
  rooms: readonly (Kept & { state: DampState })[],
  isComputed: boolean,
): Promise<void> {
  if (!rooms.length) return
  const { until } = terms
  const turned: string[] = []
  const homes = new Set<string>()
  const assessed = rooms.map(({ state, ...room }) => {
    const risk = riskOf(state, terms)
    const was = room.pressing_since && +room.pressing_since
    const pressing = dampPressingSince(was, risk.level, until)
    const hasTurned = (was === null) !== (pressing === null)
    if (hasTurned || risk.level !== room.level) turned.push(room.device_id)
    // Alerts of the property follow every room, even if its worst level is unchanged.
    if (hasTurned) homes.add(room.property_id)
    const assumed = state.hours.filter(({ isAssumed }) => isAssumed).length
    return {
      device_id: room.device_id,
      level: risk.level,
      reason: risk.reason,
      since: (room.level === null || room.level === risk.level) && room.since ? room.since : new Date(until),
      pressing_since: pressing === null ? null : new Date(pressing),
      cold: risk.cold satisfies ColdLevel | null,
      cold_reason: risk.coldReason,
      mean_temperature: risk.meanTemperature,
      mean_humidity: risk.meanHumidity,
      humid_days: risk.humidDays,
      mould_index: risk.index,
      assumed: assumed === 0 ? 'none' : assumed === state.hours.length ? 'all' : 'some',
      hours: packHours(state.hours, until).toString('hex'),
      mould: state.mould.index,
      dry: state.mould.dry,
    }
  })
  await sql`
    insert into damp_room (tenant_id, device_id, level, reason, since, pressing_since, cold, cold_reason, mean_temperature,
      mean_humidity, humid_days, mould_index, assumed, hours, mould, dry, until, reckoned_at)
    select ${tx.tenant}, device_id, level, reason, since, pressing_since, cold, cold_reason, mean_temperature,
      mean_humidity, humid_days, mould_index, assumed, decode(hours, 'hex'), mould, dry, ${new Date(until)}, ${new Date(terms.now)}
    from json_to_recordset(${JSON.stringify(assessed)}::json) as assessed (
      device_id uuid, level text, reason text, since timestamptz, pressing_since timestamptz, cold text, cold_reason text,
      mean_temperature real, mean_humidity real, humid_days int2, mould_index real, assumed text, hours text,
      mould float8, dry int)
    order by device_id
    on conflict (tenant_id, device_id) do update set level = excluded.level, reason = excluded.reason,
      since = excluded.since, pressing_since = excluded.pressing_since, cold = excluded.cold,
      cold_reason = excluded.cold_reason, mean_temperature = excluded.mean_temperature,
      mean_humidity = excluded.mean_humidity, humid_days = excluded.humid_days, mould_index = excluded.mould_index,
      assumed = excluded.assumed, hours = excluded.hours, mould = excluded.mould, dry = excluded.dry,
      until = excluded.until ${isComputed ? sql`, reckoned_at = excluded.reckoned_at` : sql``}`.execute(tx)
  await changed(tx, 'device', turned)
  await changed(tx, 'property', homes)
}

/** Stores the worst level of each property's rooms. */
async function storeWorstLevels(tx: TenantTx): Promise<void> {
  const worst = sql`
    with room as (
      select device.property_id, array_position(${[...dampLevels]}::text[], room.level) - 1 as rank, room.since
      from damp_room room join device on device.tenant_id = ${tx.tenant} and device.id = room.device_id
      where room.tenant_id = ${tx.tenant} and device.property_id is not null
    ), worst as (
      select distinct on (property_id) property_id, rank, since from room order by property_id, rank desc, since
    )
    select property.id, coalesce(worst.rank, ${dampRank('not assessed')}) as rank, worst.since from property
    left join worst on worst.property_id = property.id
    where property.tenant_id = ${tx.tenant} and (worst.property_id is not null or property.damp_since is not null)`
  await setDampLevels(tx, worst)
}
