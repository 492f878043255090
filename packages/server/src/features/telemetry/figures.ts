import type { RawBuilder } from 'kysely'
import { sql } from 'kysely'
import type { Figure } from '@caretaker/rules/telemetry/cards.ts'
import { dayAfter, dayAt, startOfDay } from '@caretaker/rules/calendar/days.ts'
import { counterLimit } from '@caretaker/rules/telemetry/counters.ts'
import type { MetricKey } from '@caretaker/rules/telemetry/metrics.ts'
import { metricKeys } from '@caretaker/rules/telemetry/metrics.ts'
import type { PowerHour } from '@caretaker/rules/telemetry/performance.ts'
import { daysRead } from '@caretaker/rules/telemetry/drawing.ts'
import { performanceOver } from '@caretaker/rules/telemetry/performance.ts'
import type { TimeRange } from '@caretaker/rules/telemetry/ranges.ts'
import type { Point } from '@caretaker/rules/telemetry/thin.ts'
import type { CardSeries } from '@caretaker/rules/telemetry/views.ts'
import { hourlyOf, lastHourBefore } from '../../postgres/hourly.ts'
import { prepared } from '../../postgres/prepared.ts'
import type { TenantTx } from '../../postgres/tenant.ts'

const hour = 3_600_000
const day = 24 * hour
/** Maximum number of bars in a chart; for longer ranges each bar covers several days. */
const mostBars = 120

type Wanted = Pick<CardSeries, 'deviceId' | 'metric'>

const wantedSeries = (tx: TenantTx, wanted: readonly Wanted[]) => sql`
  select series.id, series.device_id, series.metric
  from unnest(${wanted.map((one) => one.deviceId)}::uuid[], ${wanted.map((one) => one.metric)}::text[])
    as wanted (device_id, metric)
  join series on series.tenant_id = ${tx.tenant}
    and series.device_id = wanted.device_id and series.metric = wanted.metric`

/** The present series of the table. */
const one = sql`one.id`

/** A figure of all the series together, from the hours that touch the range; null without readings. */
export async function readFigure(
  tx: TenantTx,
  wanted: readonly Wanted[],
  kind: Exclude<Figure, 'faults' | 'performance'>,
  { from, to }: TimeRange,
): Promise<number | null> {
  if (!wanted.length) return null
  if (kind === 'growth') {
    const starts = [from]
    const grown = await readGrowth(tx, wanted, starts, to)
    return grown.length ? grown.reduce((sum, { value }) => sum + value, 0) : null
  }
  if (kind === 'energy') {
    const used = await readEnergy(tx, wanted, [from], to)
    return used.length ? used.reduce((sum, { value }) => sum + value, 0) : null
  }
  const value = kind === 'mean' ? sql`sum(total) / nullif(sum(n), 0)` : sql`sum(newest)`
  const { rows } = await sql<{ value: number | null }>`
    select ${value} as value from (${wantedSeries(tx, wanted)}) as one cross join lateral (
      select sum(total) as total, sum(n) as n, (array_agg(last_value order by hour desc))[1] as newest
      from ${hourlyOf(tx, one, { from: new Date(from - hour + 1), to: new Date(to) })} as hourly) as hours ${prepared}`.execute(
    tx,
  )
  return rows[0]?.value ?? null
}

/**
 * The number of days of a range with readings of any of the series, and the number of days so far, in the time zone.
 */
export async function readDaysRead(tx: TenantTx, wanted: readonly Wanted[], { from, to }: TimeRange, zone: string) {
  const until = Math.min(to, Date.now())
  const { rows } = await sql<{ at: number }>`
    select distinct extract(epoch from hour)::float8 * 1000 as at
    from (${wantedSeries(tx, wanted)}) as one cross join lateral (
      select hour from ${hourlyOf(tx, one, { from: new Date(from), to: new Date(until) })} as hourly where n > 0) as hours
    ${prepared}`.execute(tx)
  return daysRead(
    rows.map((row) => row.at),
    { from, to: until },
    zone,
  )
}

/** Whether any of the devices reported a reading in a range. */
export async function hasReadings(
  tx: TenantTx,
  deviceIds: readonly string[],
  { from, to }: TimeRange,
): Promise<boolean> {
  const { rows } = await sql<{ known: boolean }>`
    select exists (
      select 1 from series cross join lateral (
        select 1 from ${hourlyOf(tx, sql`series.id`, { from: new Date(from - hour + 1), to: new Date(to) })} as hourly
        limit 1) as hours
      where series.tenant_id = ${tx.tenant} and series.device_id = any(${[...deviceIds]}::uuid[])) as known
    ${prepared}`.execute(tx)
  return rows[0]?.known ?? false
}

/** The heat output per kWh over the completed hours of a range (rules/telemetry/performance.ts). */
export async function readPerformance(tx: TenantTx, wanted: readonly Wanted[], { from, to }: TimeRange) {
  // The end of a range is inclusive, in ms.
  const until = Math.min(to + 1, Date.now())
  const { rows } = await sql<PowerHour & { metric: MetricKey }>`
    select metric, extract(epoch from hour)::float8 * 1000 as hour, n as readings, total / n as mean
    from (${wantedSeries(tx, wanted)}) as one cross join lateral (
      select hour, n, total from ${hourlyOf(tx, one, { from: new Date(from), to: new Date(until - 1) })} as hourly
      where n > 0) as hours`.execute(tx)
  const of = (metric: MetricKey) => rows.filter((row) => row.metric === metric)
  const sides = { heat: of('heatOutput'), electricity: of('electricityConsumption') }
  return performanceOver(sides, { from, to: until })
}

/** The limits of counters, as a table: the most that each can rise in an hour, and beyond that at any time. */
const counterLimits = metricKeys.flatMap((metric) => {
  const limit = counterLimit(metric)
  return limit ? [{ metric, ...limit }] : []
})
/** The most that the counter of `one` can have risen since the previous row. */
const mostGrown = sql`(
  select per_hour * extract(epoch from last_at - before_at)::float8 / 3600 + slack
  from unnest(
    ${counterLimits.map(({ metric }) => metric)}::text[], ${counterLimits.map(({ perHour }) => perHour)}::float8[],
    ${counterLimits.map(({ slack }) => slack)}::float8[]
  ) as counter (metric, per_hour, slack) where counter.metric = one.metric)`

/**
 * Hours of a counter, each with its growth since the previous one, and how long ago that was. A fall that recovers
 * within two hours is a glitch from versions that stored those, and is skipped; a counter that falls otherwise, or
 * rises by more than it can, has restarted.
 */
const countedIn = (hours: RawBuilder<unknown>) => sql`(
  select hour, last_at, hour - before_hour as since,
    case when last_value - before_value between 0 and ${mostGrown} then last_value - before_value
      when before_value is not null then 0 end as grown
  from (
    select hour, last_at, last_value, lag(hour) over in_order as before_hour, lag(last_at) over in_order as before_at,
      lag(last_value) over in_order as before_value
    from (
      select hour, last_at, last_value, last_value < back_1 and (next_1 >= back_1 or next_2 >= back_1)
        or last_value < back_2 and back_1 < back_2 and next_1 >= back_2 as is_glitch
      from (
        select hour, last_at, last_value, lag(last_value) over in_order as back_1, lag(last_value, 2) over in_order as back_2,
          lead(last_value) over in_order as next_1, lead(last_value, 2) over in_order as next_2
        from ${hours} window in_order as (order by hour)) as neighbours) as judged
    where is_glitch is not true window in_order as (order by hour)) as followed)`

/**
 * The total growth of counters from each start to the next and from the last to the end; spans without readings are
 * left out. A restarted counter has not grown backwards.
 */
async function readGrowth(tx: TenantTx, wanted: readonly Wanted[], starts: readonly number[], to: number) {
  const begin = new Date(starts[0]!)
  const { rows } = await sql<{ span: number; value: number }>`
    select span, sum(grown) as value from (${wantedSeries(tx, wanted)}) as one
      cross join lateral (select coalesce(${lastHourBefore(tx, one, begin)}, '-infinity') as since) as before
      cross join lateral (
        select width_bucket(last_at, ${starts.map((at) => new Date(at).toISOString())}::timestamptz[]) as span, grown
        from ${countedIn(sql`
          ${hourlyOf(tx, one, { from: sql`since`, to: new Date(to) })} as hourly where last_at <= ${new Date(to)}`)}) as hours
    where span > 0 and grown is not null group by span order by span ${prepared}`.execute(tx)
  return rows.map(({ span, value }) => ({ date: starts[span - 1]!, value }))
}

/**
 * The hour of a range in which a counter grew most, and by how much. Only hours whose previous hour has readings
 * count, because otherwise the time of the growth is unknown. Undefined if it grew in none.
 */
export async function readWorstHour(
  tx: TenantTx,
  wanted: readonly Wanted[],
  { from, to }: TimeRange,
): Promise<Point | undefined> {
  if (!wanted.length) return undefined
  const first = Math.floor(from / hour) * hour
  const { rows } = await sql<{ hour: Date; grown: number }>`
    select hour, grown from (${wantedSeries(tx, wanted)}) as one cross join lateral (
      select hour, grown, since
      from ${countedIn(sql`${hourlyOf(tx, one, { from: new Date(first - hour), to: new Date(to) })} as hourly`)}) as hours
    where grown > 0 and since = interval '1 hour' and hour >= ${new Date(first)}
    order by grown desc, hour limit 1`.execute(tx)
  const [worst] = rows
  return worst && { date: worst.hour.getTime(), value: worst.grown }
}

/**
 * The energy of power series in kWh, all together, from each start to the next and from the last to the end: the mean
 * power of each hour. Of the current hour only the past part counts; spans without readings are left out.
 */
async function readEnergy(tx: TenantTx, wanted: readonly Wanted[], starts: readonly number[], to: number) {
  const { rows } = await sql<{ span: number; value: number }>`
    select width_bucket(hour, ${starts.map((at) => new Date(at).toISOString())}::timestamptz[]) as span,
      sum(total / n * share) / 1000 as value
    from (${wantedSeries(tx, wanted)}) as one cross join lateral (
      select hour, total, n, case when hour > ${new Date(Math.min(to, Date.now()) - hour)}
          then extract(epoch from last_at - hour)::float8 / 3600 else 1 end as share
      from ${hourlyOf(tx, one, { from: new Date(starts[0]!), to: new Date(to) })} as hourly where n > 0) as hours
    group by span order by span ${prepared}`.execute(tx)
  return rows.map(({ span, value }) => ({ date: starts[span - 1]!, value }))
}

/**
 * The daily growth of counters, or energy of powers, in the zone over a range, as points at the starts of the days.
 */
export async function readDays(
  tx: TenantTx,
  wanted: readonly Wanted[],
  kind: 'growth' | 'energy',
  { from, to }: TimeRange,
  zone: string,
): Promise<{ points: Point[]; length: number }> {
  const apart = Math.max(1, Math.ceil((to - from) / day / mostBars))
  const starts: number[] = []
  for (let one = dayAt(from, zone); startOfDay(one, zone) <= to; one = dayAfter(one, apart))
    starts.push(startOfDay(one, zone))
  const read = kind === 'energy' ? readEnergy : readGrowth
  const points = wanted.length ? await read(tx, wanted, starts, to) : []
  return { points, length: apart * day }
}
