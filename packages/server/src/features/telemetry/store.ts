import type { RawBuilder } from 'kysely'
import { sql } from 'kysely'
import type { z } from 'zod'
import type { DeviceEvent, Series } from '@caretaker/contract/telemetry.ts'
import type { MetricKey } from '@caretaker/rules/telemetry/metrics.ts'
import { isMetricKey, metricKeys, metrics } from '@caretaker/rules/telemetry/metrics.ts'
import type { TimeRange } from '@caretaker/rules/telemetry/ranges.ts'
import type { Point, Readings } from '@caretaker/rules/telemetry/thin.ts'
import { bucketWidth, longestSilence, thin } from '@caretaker/rules/telemetry/thin.ts'
import { hourlyOf } from '../../postgres/hourly.ts'
import { prepared } from '../../postgres/prepared.ts'
import type { TenantTx } from '../../postgres/tenant.ts'
import type { Range } from './points.ts'
import { instantAt, readPoints, viewOf } from './points.ts'

const hour = 3_600_000
const day = 24 * hour
/** Longer ranges are drawn from hourly lows and highs, as are series with too many readings, */
const longestInReadings = 14 * day
/** and still longer ones from daily lows and highs. */
const longestInHours = 100 * day

/** The device and metrics to read. */
export interface Source {
  id: string
  /** Seconds. */
  reportingInterval: number
  metrics: readonly MetricKey[]
}

/**
 * Reads the metrics of each device over a range, in the requested order, downsampled so that extremes are kept. A
 * metric that the device never reported is an empty series. The number of queries does not depend on the number of
 * devices.
 */
export async function readSeries(tx: TenantTx, sources: readonly Source[], range: Range): Promise<Series[][]> {
  const found = await findSeries(tx, sources)
  const drawn = await readDrawn(tx, [...found.values()], range)
  return sources.map((source) =>
    [...new Set(source.metrics)].map((metric) => {
      const known = found.get(nameOf(source.id, metric))
      const { label, unit } = isMetricKey(metric) ? metrics[metric] : { label: metric, unit: '' }
      return {
        dataSeriesId: nameOf(source.id, metric),
        metric,
        label,
        unit,
        series: known ? drawn(known, longestSilence(source.reportingInterval)) : [],
        latest: known?.latest ?? null,
      }
    }),
  )
}

/** The raw names of the extra series of a device. */
export async function extraSeriesOf(tx: TenantTx, deviceId: string): Promise<string[]> {
  const rows = await tx
    .selectFrom('series')
    .select('metric')
    .where('tenant_id', '=', tx.tenant)
    .where('device_id', '=', deviceId)
    .where(sql<boolean>`metric <> all(${metricKeys}::text[])`)
    .execute()
  return rows.map(({ metric }) => metric)
}

const nameOf = (deviceId: string, metric: MetricKey) => `${deviceId}/${metric}`

interface KnownSeries {
  id: number
  latest: Point | null
}

/** The existing series among those requested, by device and metric. */
async function findSeries(tx: TenantTx, sources: readonly Source[]): Promise<Map<string, KnownSeries>> {
  const pairs = sources.flatMap(({ id, metrics }) => metrics.map((metric) => ({ id, metric })))
  const { rows } = await sql<{
    device_id: string
    metric: MetricKey
    id: number
    last_at: Date | null
    last_value: number
  }>`
    select series.device_id, series.metric, id, last_at, last_value
    from unnest(${pairs.map((pair) => pair.id)}::uuid[], ${pairs.map((pair) => pair.metric)}::text[])
      as wanted (device_id, metric)
    join series on series.tenant_id = ${tx.tenant}
      and series.device_id = wanted.device_id and series.metric = wanted.metric
    left join lateral (
      select last_at, last_value from hourly
      where hourly.tenant_id = ${tx.tenant} and series_id = series.id order by hour desc limit 1) newest on true ${prepared}`.execute(
    tx,
  )
  return new Map(
    rows.map(({ device_id, metric, id, last_at, last_value }) => [
      nameOf(device_id, metric),
      { id, latest: last_at && { date: last_at.getTime(), value: last_value } },
    ]),
  )
}

/**
 * Reads series, and returns a function that draws each: from readings where they were read, otherwise from hourly or
 * daily lows and highs.
 */
async function readDrawn(tx: TenantTx, series: readonly KnownSeries[], range: Range) {
  const length = range.to.getTime() - range.from.getTime()
  const ids = series.map(({ id }) => id)
  const readings =
    length <= longestInReadings
      ? await readPoints(tx, ids, range, bucketWidth(length))
      : new Map<number, () => Readings>()
  const span = length <= longestInHours ? hour : day
  const spans = await readSpans(
    tx,
    series.filter(({ id }) => !readings.has(id)),
    range,
    span,
  )
  // Unpacked one by one, because each may be large.
  return (known: KnownSeries, silence: number) => {
    const unpack = readings.get(known.id)
    if (unpack) {
      const points = unpack()
      return thin(points, { width: widthFor(points), silence })
    }
    const points = boundsOf(spans.get(known.id) ?? null, known, range, span)
    // An hour or a day is one unit, so a gap has to be longer than that.
    return thin(points, { width: Math.max(widthFor(points), span), silence: Math.max(silence, span) })
  }
}

const widthFor = ({ dates }: Readings) => bucketWidth(dates.length ? dates[dates.length - 1]! - dates[0]! : 0)

/** Lows and highs as the database packs them, in order of time; null if there are none. */
type Packed = Buffer | null

/** The lows and highs of the hours or days that touch a range, by series id. */
async function readSpans(
  tx: TenantTx,
  series: readonly KnownSeries[],
  { from, to }: Range,
  span: number,
): Promise<Map<number, Packed>> {
  if (!series.length) return new Map()
  const ids = series.map(({ id }) => id)
  const begin = new Date(Math.floor(from.getTime() / span) * span)
  const spans = span === hour ? spansOfHours(tx, ids, begin, to) : await daysOf(tx, ids, begin, to)
  const { rows } = await sql<{ id: number; packed: Packed }>`
    select id, packed from ${spans.wanted} cross join lateral (
      select string_agg(timestamptz_send(at) || float8send(low) || float8send(high), '' order by at) as packed
      from (${spans.rows}) span) packed`.execute(tx)
  return new Map(rows.map(({ id, packed }) => [id, packed]))
}

/** A low and a high of each hour or day, and the newest reading at the end. */
function boundsOf(packed: Packed, { latest }: KnownSeries, { from, to }: Range, span: number): Readings {
  const [first, last] = [from.getTime(), Math.min(to.getTime(), latest?.date ?? Infinity)]
  // The exact times are unknown: the low is drawn at the start, the high in the middle.
  const within = (date: number) => Math.min(Math.max(date, first), last)
  const [dates, values]: [number[], number[]] = [[], []]
  const add = (date: number, value: number) => {
    dates.push(date)
    values.push(value)
  }
  if (packed) {
    const view = viewOf(packed)
    for (let offset = 0; offset < packed.byteLength; offset += 24) {
      const at = instantAt(view, offset)
      const [low, high] = [view.getFloat64(offset + 8), view.getFloat64(offset + 16)]
      add(within(at), low)
      if (low !== high) add(within(at + span / 2), high)
    }
  }
  const end = dates.at(-1)
  if (end !== undefined && latest && latest.date > end && latest.date <= to.getTime()) add(latest.date, latest.value)
  return { dates, values }
}

/** Series, and what is read of each. */
interface Spans {
  wanted: RawBuilder<unknown>
  rows: RawBuilder<unknown>
}

const spansOfHours = (tx: TenantTx, ids: number[], from: Date, to: Date): Spans => ({
  wanted: sql`unnest(${ids}::bigint[]) as wanted (id)`,
  rows: sql`select hour as at, low, high from ${hourlyOf(tx, sql`wanted.id`, { from, to })} as hours`,
})

/** Closed days, and for the time since them, days computed from their hours. */
async function daysOf(tx: TenantTx, ids: number[], from: Date, to: Date): Promise<Spans> {
  // A query of its own: with row-level security a condition with a subquery is evaluated for every hour of the
  // series.
  const { rows } = await sql<{ closed: Date | null }>`
    select closed from unnest(${ids}::bigint[]) with ordinality as wanted (id, place) cross join lateral (
      select max(day) as closed from daily where tenant_id = ${tx.tenant} and series_id = wanted.id) known
    order by place`.execute(tx)
  const since = rows.map(({ closed }) => new Date(Math.max((closed?.getTime() ?? 0) + day, from.getTime())))
  return {
    wanted: sql`unnest(${ids}::bigint[], ${since.map((at) => at.toISOString())}::timestamptz[]) as wanted (id, since)`,
    rows: sql`
      select day as at, low, high from daily
      where tenant_id = ${tx.tenant} and series_id = wanted.id and day >= ${from} and day <= ${to}
      union all
      select date_trunc('day', hour, 'UTC'), min(low), max(high) from hourly
      where tenant_id = ${tx.tenant} and series_id = wanted.id and hour >= wanted.since and hour <= ${to}
      group by 1`,
  }
}

/**
 * Events that touch a range, newest first, and the instant from which they are complete; null if none was left out.
 */
export interface Events {
  events: z.input<typeof DeviceEvent>[]
  since: Date | null
}

/** The newest of the rows, of which one more than `most` was read, and the instant from which none is left out. */
export function newestOf<R extends { start_at: Date }>(rows: readonly R[], most: number) {
  return { rows: rows.slice(0, most), since: rows.length > most ? rows[most - 1]!.start_at : null }
}

/** The later of two instants from which lists are complete; null if both are. */
export const latestOf = (one: Date | null, other: Date | null): Date | null =>
  one && other ? (one > other ? one : other) : (one ?? other)

/** Maximum number of events of a range in an answer. */
const mostEvents = 1000

/** Events of devices that touch a range, newest first. An event without an end is still active. */
export async function readEvents(
  tx: TenantTx,
  devices: readonly { id: string; name: string }[],
  { from, to }: TimeRange,
): Promise<Events> {
  const rows = await touching(tx, devices, { from, to })
    .select(['id', 'device_id', 'start_at', 'end_at', 'severity', 'category', 'description'])
    .orderBy('start_at', 'desc')
    .orderBy('id')
    .limit(mostEvents + 1)
    .modifyEnd(prepared)
    .execute()
  const names = new Map(devices.map(({ id, name }) => [id, name]))
  const newest = newestOf(rows, mostEvents)
  return {
    since: newest.since,
    events: newest.rows.map((row) => ({
      eventId: row.id,
      start: row.start_at.toISOString(),
      end: row.end_at?.toISOString() ?? null,
      severity: row.severity,
      category: row.category,
      description: row.description,
      contextLabel: names.get(row.device_id)!,
    })),
  }
}

/** The number of highest-severity events that began in a range. */
export async function countFaults(
  tx: TenantTx,
  deviceIds: readonly string[],
  { from, to }: TimeRange,
): Promise<number> {
  const { count } = await touching(
    tx,
    deviceIds.map((id) => ({ id })),
    { from, to },
  )
    .where('start_at', '>=', new Date(from))
    .where('severity', '=', 'High')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .modifyEnd(prepared)
    .executeTakeFirstOrThrow()
  return count
}

const touching = (tx: TenantTx, devices: readonly { id: string }[], { from, to }: TimeRange) =>
  tx
    .selectFrom('event')
    .where('tenant_id', '=', tx.tenant)
    .where(sql<boolean>`device_id = any(${devices.map(({ id }) => id)}::uuid[])`)
    .where('start_at', '<=', new Date(to))
    .where((eb) => eb.or([eb('end_at', 'is', null), eb('end_at', '>=', new Date(from))]))
