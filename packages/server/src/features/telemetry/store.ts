import { sql } from 'kysely'
import type { z } from 'zod'
import type { DeviceEvent, Series } from '@caretaker/contract/telemetry.ts'
import type { MetricKey } from '@caretaker/rules/telemetry/metrics.ts'
import { metrics } from '@caretaker/rules/telemetry/metrics.ts'
import type { Point } from '@caretaker/rules/telemetry/thin.ts'
import { bucketWidth, longestSilence, thin } from '@caretaker/rules/telemetry/thin.ts'
import type { TenantTx } from '../../postgres/tenant.ts'

const hour = 3_600_000
const day = 24 * hour
/** Longer ranges are drawn from lows and highs of hours, */
const longestInReadings = 14 * day
/** and still longer ones from those of days. */
const longestInHours = 100 * day
/** So are ranges of a series with more readings than this: what one series may take of memory is bounded. */
const mostReadings = 250_000

export interface Range {
  from: Date
  to: Date
}

/** The device whose readings are asked for. */
interface Source {
  id: string
  /** Seconds. */
  reportingInterval: number
}

/**
 * Metrics of a device over a range, in the order asked, thinned so that every extreme stays. A metric that the device never
 * reported is an empty series.
 */
export async function readSeries(
  tx: TenantTx,
  device: Source,
  keys: readonly MetricKey[],
  range: Range,
): Promise<Series[]> {
  const found = await findSeries(tx, device.id, keys)
  const isShort = range.to.getTime() - range.from.getTime() <= longestInReadings
  const readings = isShort ? await readReadings(tx, [...found.values()], range) : new Map<number, Point[]>()
  const series: Series[] = []
  // One after the other: a single series may be large, and a transaction has one connection anyway.
  for (const metric of new Set(keys)) {
    const known = found.get(metric)
    series.push({
      dataSeriesId: `${device.id}/${metric}`,
      metric,
      label: metrics[metric].label,
      unit: metrics[metric].unit,
      series: known ? await readPoints(tx, known, readings.get(known.id), device.reportingInterval, range) : [],
      latest: known?.latest ?? null,
    })
  }
  return series
}

interface KnownSeries {
  id: number
  latest: Point | null
}

async function findSeries(
  tx: TenantTx,
  deviceId: string,
  keys: readonly MetricKey[],
): Promise<Map<MetricKey, KnownSeries>> {
  const { rows } = await sql<{ metric: MetricKey; id: number; last_at: Date | null; last_value: number }>`
    select metric, id, last_at, last_value
    from series left join lateral (
      select last_at, last_value from hourly
      where hourly.tenant_id = ${tx.tenant} and series_id = series.id order by hour desc limit 1) newest on true
    where tenant_id = ${tx.tenant} and device_id = ${deviceId} and metric = any(${keys}::text[])`.execute(tx)
  return new Map(
    rows.map(({ metric, id, last_at, last_value }) => [
      metric,
      { id, latest: last_at && { date: last_at.getTime(), value: last_value } },
    ]),
  )
}

/** Draws readings where they were read, and the lows and highs of hours or days where there are too many. */
async function readPoints(
  tx: TenantTx,
  series: KnownSeries,
  readings: readonly Point[] | undefined,
  reportingInterval: number,
  range: Range,
) {
  const silence = longestSilence(reportingInterval)
  if (readings) return thin(readings, { width: widthFor(readings), silence })
  const span = range.to.getTime() - range.from.getTime() <= longestInHours ? hour : day
  const points = await readSpans(tx, series, range, span)
  // What an hour or a day holds is not told apart, so a silence has to be longer than one.
  return thin(points, { width: Math.max(widthFor(points), span), silence: Math.max(silence, span) })
}

const widthFor = (points: readonly Point[]) => bucketWidth(points.length ? points.at(-1)!.date - points[0]!.date : 0)

/** Every reading of each series in a range, in order of time, by the series' ids; those with too many are left out. */
async function readReadings(
  tx: TenantTx,
  series: readonly KnownSeries[],
  { from, to }: Range,
): Promise<Map<number, Point[]>> {
  // Packed by the database and unpacked here: reading 10,000 rows one by one takes five times as long. All series in one
  // query: planning over the partitions takes as long as reading two days.
  const { rows } = await sql<{ id: number; packed: Buffer | null }>`
    select id, packed
    from unnest(${series.map(({ id }) => id)}::bigint[]) as wanted (id) cross join lateral (
      select string_agg(timestamptz_send(at) || float8send(value), '' order by at) as packed
      from (select at, value from point
        where tenant_id = ${tx.tenant} and series_id = wanted.id and at >= ${from} and at <= ${to}
        order by at limit ${mostReadings + 1}) reading) packed`.execute(tx)
  const read = rows.map(({ id, packed }): [number, Point[]] => [
    id,
    unpack(packed, 16, (view, offset) => [{ date: instantAt(view, offset), value: view.getFloat64(offset + 8) }]),
  ])
  return new Map(read.filter(([, points]) => points.length <= mostReadings))
}

/** The lows and highs of the hours or days that touch a range. */
async function readSpans(tx: TenantTx, series: KnownSeries, { from, to }: Range, span: number): Promise<Point[]> {
  const begin = new Date(Math.floor(from.getTime() / span) * span)
  const spans = span === hour ? hoursOf(tx, series.id, begin, to) : await daysOf(tx, series.id, begin, to)
  const { rows } = await sql<{ packed: Buffer | null }>`
    select string_agg(timestamptz_send(at) || float8send(low) || float8send(high), '' order by at) as packed
    from (${spans}) span`.execute(tx)
  const { latest } = series
  const [first, last] = [from.getTime(), Math.min(to.getTime(), latest?.date ?? Infinity)]
  const points = unpack(rows[0]!.packed, 24, (view, offset) => {
    const at = instantAt(view, offset)
    // When within it a reading came is not known: the low is drawn at its beginning, the high in its middle.
    const within = (date: number) => Math.min(Math.max(date, first), last)
    const [low, high] = [view.getFloat64(offset + 8), view.getFloat64(offset + 16)]
    const points = [{ date: within(at), value: low }]
    return low === high ? points : [...points, { date: within(at + span / 2), value: high }]
  })
  const end = points.at(-1)
  if (end && latest && latest.date > end.date && latest.date <= to.getTime()) points.push(latest)
  return points
}

const hoursOf = (tx: TenantTx, series: number, from: Date, to: Date) => sql`
  select hour as at, low, high from hourly
  where tenant_id = ${tx.tenant} and series_id = ${series} and hour >= ${from} and hour <= ${to}`

/** Days that are closed, and of the time since them the days that their hours make. */
async function daysOf(tx: TenantTx, series: number, from: Date, to: Date) {
  // Asked by itself: behind row security a condition with a subquery is checked row by row, on every hour of the series.
  const { rows } = await sql<{ closed: Date | null }>`
    select max(day) as closed from daily where tenant_id = ${tx.tenant} and series_id = ${series}`.execute(tx)
  const since = new Date(Math.max((rows[0]!.closed?.getTime() ?? 0) + day, from.getTime()))
  return sql`
    select day as at, low, high from daily
    where tenant_id = ${tx.tenant} and series_id = ${series} and day >= ${from} and day <= ${to}
    union all
    select date_trunc('day', hour, 'UTC'), min(low), max(high) from hourly
    where tenant_id = ${tx.tenant} and series_id = ${series} and hour >= ${since} and hour <= ${to}
    group by 1`
}

const postgresEpoch = Date.UTC(2000, 0, 1)

/** Of eight bytes as Postgres sends an instant: microseconds since 2000. Given in milliseconds, as everywhere else. */
function instantAt(view: DataView, offset: number): number {
  const microseconds = view.getInt32(offset) * 2 ** 32 + view.getUint32(offset + 4)
  return postgresEpoch + Math.floor(microseconds / 1000)
}

function unpack(packed: Buffer | null, size: number, read: (view: DataView, offset: number) => Point[]): Point[] {
  if (!packed) return []
  const view = new DataView(packed.buffer, packed.byteOffset, packed.byteLength)
  const points: Point[] = []
  for (let offset = 0; offset < packed.byteLength; offset += size) points.push(...read(view, offset))
  return points
}

/** Events of a device that touch a range, newest first, at most 1,000. One without an end still goes on. */
export async function readEvents(
  tx: TenantTx,
  deviceId: string,
  { from, to }: Range,
): Promise<z.input<typeof DeviceEvent>[]> {
  const rows = await tx
    .selectFrom('event')
    .select(['id', 'start_at', 'end_at', 'severity', 'category', 'description'])
    .where('tenant_id', '=', tx.tenant)
    .where('device_id', '=', deviceId)
    .where('start_at', '<=', to)
    .where((eb) => eb.or([eb('end_at', 'is', null), eb('end_at', '>=', from)]))
    .orderBy('start_at', 'desc')
    .orderBy('id')
    .limit(1000)
    .execute()
  return rows.map((row) => ({
    eventId: row.id,
    start: row.start_at.toISOString(),
    end: row.end_at?.toISOString() ?? null,
    severity: row.severity,
    category: row.category,
    description: row.description,
  }))
}
