import type { RawBuilder } from 'kysely'
import { sql } from 'kysely'
import type { DayOfCounts } from '@caretaker/rules/telemetry/counters.ts'
import type { MetricKey } from '@caretaker/rules/telemetry/metrics.ts'
import { hourlyOf } from '../../postgres/hourly.ts'
import type { TenantTx } from '../../postgres/tenant.ts'

const [hour, day] = [3_600_000, 86_400_000]

/** The metrics that monthly reports need: others are never read for so many devices at once. */
export const packedMetrics = [
  ...(['temperature', 'humidity', 'outsideTemperature', 'setPoint'] as const),
  ...(['electricityConsumption', 'burnerHours'] as const),
] as const satisfies MetricKey[]
export type PackedMetric = (typeof packedMetrics)[number]

/**
 * Days for which packed hours are kept, and how far back they are packed: a monthly report reads the six weeks before
 * its end.
 */
export const packedHoursKept = 60

/** An hour and its mean: the hour since the epoch in 4 bytes, the mean in 8. */
const bytes = 12
const encoded = sql`string_agg(int4send((extract(epoch from hour) / 3600)::integer) || float8send(total / n), ''::bytea order by hour)`

/**
 * Packs the hours of days before an instant for some series, each from where it stopped. The points of those days are
 * already packed.
 */
export async function packHours(tx: TenantTx, series: number[], before: Date): Promise<void> {
  const oldest = new Date(+before - packedHoursKept * day)
  await sql`
    insert into packed_hours (tenant_id, series_id, day, low, high, means)
    select ${tx.tenant}, series.id, made.* from series,
      -- The bound is a column by itself: behind row security anything more would be checked row by row.
      lateral (select coalesce(max(day) + interval '24 hours', ${oldest}::timestamptz) as since from packed_hours
        where tenant_id = ${tx.tenant} and series_id = series.id) known,
      lateral (select date_bin('1 day', hour, timestamptz 'epoch'), min(low), max(high), ${encoded} from hourly
        where tenant_id = ${tx.tenant} and series_id = series.id and hour >= since and hour < ${before} and n > 0
        group by 1) made
    where series.tenant_id = ${tx.tenant} and series.id = any(${series}::bigint[])
      and series.metric = any(${packedMetrics}::text[])
    on conflict do nothing`.execute(tx)
}

/** Deletes the packed hours of some series from a day with a late reading on; they are packed again. */
export async function unpackHours(tx: TenantTx, series: number[], from: Date): Promise<void> {
  await tx
    .deleteFrom('packed_hours')
    .where('tenant_id', '=', tx.tenant)
    .where(sql<boolean>`series_id = any(${series}::bigint[])`)
    .where('day', '>=', from)
    .execute()
}

/** The day that contains an hour. */
const dayOfHour = sql`date_bin('1 day', hour, timestamptz 'epoch')`

/** The wanted metrics and instants. */
interface Asked {
  metrics: readonly PackedMetric[]
  from: number
  to: number
}

/**
 * The sources of each series' hours: whole packed days, and the hours before and after them in the hourly table. A
 * day with a late reading that is not packed yet counts as not packed.
 */
function parts(
  tx: TenantTx,
  ids: readonly string[],
  { metrics, from, to }: Asked,
  read: (of: Record<'own' | 'hours', RawBuilder<unknown>> & Record<'since' | 'to', Date>) => RawBuilder<unknown>,
) {
  const since = new Date(Math.ceil(from / day) * day)
  const whole = new Date(Math.floor(to / day) * day)
  const own = sql`tenant_id = ${tx.tenant} and series_id = series.id`
  const hours = sql`
    from ${hourlyOf(tx, sql`series.id`, { from: new Date(from), to: new Date(to) })} as hours where n > 0`
  return sql`
    from series
    cross join lateral (select coalesce(date_bin('1 day', min(at), timestamptz 'epoch'), ${whole}::timestamptz) as clean
      from point where ${own} and at >= ${since} and at < ${whole}) loose
    cross join lateral (select coalesce(min(day), ${new Date(from)}::timestamptz) as first,
        coalesce(max(day) + interval '24 hours', ${new Date(from)}::timestamptz) as until,
        string_agg(means, ''::bytea order by day) as means
      from packed_hours where ${own} and day >= ${since} and day < clean) packed
    ${read({ own, hours, since, to: new Date(to) })}
    where series.tenant_id = ${tx.tenant} and series.device_id = any(${ids}::uuid[])
      and series.metric = any(${metrics}::text[])`
}

/** The hourly means of a series, one place for each hour from `firstHour` on; NaN where unknown. */
export type HourMeans = Float64Array

/** The start of the first hour of a range, in ms. */
export const firstHour = (from: number) => Math.floor(from / hour) * hour

/** The hourly means of devices, by device and metric. */
export async function readHourMeans(
  tx: TenantTx,
  ids: readonly string[],
  asked: Asked,
): Promise<Map<string, Partial<Record<PackedMetric, HourMeans>>>> {
  const { rows } = await sql<{ id: string; metric: PackedMetric; means: Buffer }>`
    select series.device_id as id, series.metric,
      coalesce(early.means, '') || coalesce(packed.means, '') || coalesce(late.means, '') as means
    ${parts(
      tx,
      ids,
      asked,
      ({ hours, to }) => sql`
      cross join lateral (select ${encoded} as means ${hours} and hour < first) early
      cross join lateral (select ${encoded} as means ${hours} and hour >= until and hour < ${to}) late`,
    )}`.execute(tx)
  const first = firstHour(asked.from) / hour
  const places = Math.ceil(asked.to / hour) - first
  const found = new Map<string, Partial<Record<PackedMetric, HourMeans>>>()
  for (const { id, metric, means } of rows) {
    if (!means.length) continue
    const known = found.get(id) ?? {}
    const hours = new Float64Array(places).fill(NaN)
    for (let at = 0; at < means.length; at += bytes) hours[means.readInt32BE(at) - first] = means.readDoubleBE(at + 4)
    known[metric] = hours
    found.set(id, known)
  }
  return found
}

/** The lowest and highest reading of a counter on each day between two instants, by device. */
export async function readDaysOfCounts(
  tx: TenantTx,
  ids: readonly string[],
  asked: Asked,
): Promise<Map<string, DayOfCounts[]>> {
  const { rows } = await sql<{ id: string; days: number[] | null; lows: number[]; highs: number[] }>`
    select series.device_id as id, days_of.days, days_of.lows, days_of.highs
    ${parts(
      tx,
      ids,
      asked,
      ({ own, since, hours, to }) => sql`
      cross join lateral (
        select array_agg(extract(epoch from day)::float8 * 1000 order by day) as days,
          array_agg(low order by day) as lows, array_agg(high order by day) as highs
        from (
          select day, low, high from packed_hours where ${own} and day >= ${since} and day < clean
          union all
          select ${dayOfHour}, min(low), max(high) ${hours} and hour < first group by 1
          union all
          select ${dayOfHour}, min(low), max(high) ${hours} and hour >= until and hour < ${to} group by 1
        ) as of_day (day, low, high)) days_of`,
    )}`.execute(tx)
  return new Map(
    rows.flatMap(({ id, days, lows, highs }) =>
      days ? [[id, days.map((day, place) => ({ day, low: lows[place]!, high: highs[place]! }))]] : [],
    ),
  )
}
