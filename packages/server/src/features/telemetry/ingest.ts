import { sql } from 'kysely'
import type { Reading } from '@caretaker/rules/telemetry/readings.ts'
import { counterLimit } from '@caretaker/rules/telemetry/counters.ts'
import { isMetricKey, metricKeys } from '@caretaker/rules/telemetry/metrics.ts'
import type { Span } from '../../changes/changed.ts'
import { readQuietly } from '../../changes/changed.ts'
import type { Incoming } from '../../incoming.ts'
import { makeDue } from '../../postgres/due.ts'
import { prepared } from '../../postgres/prepared.ts'
import type { TenantTx } from '../../postgres/tenant.ts'
import type { IncomingCount, ReadingSetAside } from './counts.ts'
import { judgeCounters } from './counts.ts'
import { findPacked, packedBefore } from './pack.ts'

export type IncomingReadings = Incoming<Reading[]>
type SeriesIds = Map<string, number>

/** The ids of series by device and metric, kept between batches. */
export interface SeriesCache {
  of(tenant: string, deviceId: string): SeriesIds
  /** Drops a device that is deleted, or replaced under the same id. */
  forget(deviceId: string): void
}

/** A cache for the series of at most `limit` devices; the oldest entries are dropped first. */
export function seriesCache(limit = 100_000): SeriesCache {
  const devices = new Map<string, { tenant: string; ids: SeriesIds }>()
  return {
    of: (tenant, deviceId) => {
      const found = devices.get(deviceId)
      if (found?.tenant === tenant) return found.ids
      const fresh = { tenant, ids: new Map<string, number>() }
      devices.set(deviceId, fresh)
      if (devices.size > limit) devices.delete(devices.keys().next().value!)
      return fresh.ids
    },
    forget: (deviceId) => void devices.delete(deviceId),
  }
}

/**
 * Stores readings of one tenant and keeps the hourly roll-ups exact: only new points are added to them, so repeated
 * and late readings do no harm. Of two values for one instant of a series the first stays. A counter reading outside
 * its limits is held back until the next readings (`counts.ts`). Returns the messages of devices that the tenant does
 * not have, and rejected readings. The caller announces the new readings.
 */
export async function ingestTelemetry(
  tx: TenantTx,
  messages: IncomingReadings[],
  cache: SeriesCache,
): Promise<{ unknown: IncomingReadings[]; setAside: ReadingSetAside[] }> {
  const seriesOf = await findSeries(tx, messages, cache)
  const unknown: IncomingReadings[] = []
  const spans = new Map<string, Span>()
  const columns: Columns = { series: [], at: [], value: [], counts: [], setAside: [] }
  for (const message of messages) {
    const series = seriesOf(message.deviceId)
    if (collect(message, series, columns)) spans.set(message.deviceId, spanWith(spans.get(message.deviceId), message))
    else unknown.push(message)
  }
  const setAside = [...columns.setAside]
  if (columns.counts.length) {
    const judged = await judgeCounters(tx, columns.counts)
    for (const { series, at, value } of judged.stored) {
      columns.series.push(series)
      columns.at.push(at)
      columns.value.push(value)
    }
    setAside.push(...judged.setAside)
  }
  if (columns.series.length) await storePoints(tx, columns)
  await readQuietly(tx, spans)
  return { unknown, setAside }
}

const counterLimits = new Map(metricKeys.map((metric) => [metric as string, counterLimit(metric)]))
const limitOf = (metric: string) => counterLimits.get(metric)

/** The time span of a device's readings, extended by one more message. */
function spanWith(known: Span | undefined, { payload }: IncomingReadings): Span {
  let [from, to] = known ?? [Infinity, -Infinity]
  for (const { ts } of payload) {
    from = Math.min(from, ts)
    to = Math.max(to, ts)
  }
  return [from, to]
}

interface Points {
  series: number[]
  /** ms since the epoch */
  at: number[]
  value: number[]
}

interface Columns extends Points {
  /** Counter readings, which are checked before they are stored. */
  counts: IncomingCount[]
  /** Readings of extra series beyond the limit of a device. */
  setAside: ReadingSetAside[]
}

function collect({ deviceId, payload }: IncomingReadings, series: SeriesIds, columns: Columns): boolean {
  // Only devices of the tenant have series.
  if (!series.size) return false
  for (const { ts, values } of payload) {
    for (const metric in values) {
      const id = series.get(metric)
      const limit = limitOf(metric)
      if (id === undefined) {
        if (isMetricKey(metric)) return false
        const reason = 'too many series'
        columns.setAside.push({ deviceId, metric, at: ts, value: values[metric]!, reason })
        continue
      }
      if (limit) {
        columns.counts.push({ series: id, deviceId, metric, limit, at: ts, value: values[metric]! })
        continue
      }
      columns.series.push(id)
      columns.at.push(ts)
      columns.value.push(values[metric]!)
    }
  }
  return true
}

/**
 * One statement, so that the roll-up contains exactly the new points. Points and roll-ups are written in key order,
 * so that concurrent batches never deadlock. Two values for one instant are written in order of arrival, so that the
 * first stays.
 */
async function storePoints(tx: TenantTx, columns: Points): Promise<void> {
  const { series, at, value } = await withoutPacked(tx, columns)
  // Array literals are built here: the driver's take several times as long, and numbers need no quotes.
  await sql`
    with fresh as (
      insert into point (tenant_id, series_id, at, value)
      select ${tx.tenant}, series_id, to_timestamp(ms / 1000), value
      from unnest(${`{${series.join()}}`}::bigint[], ${`{${at.join()}}`}::float8[], ${`{${value.join()}}`}::float8[])
        with ordinality as reading (series_id, ms, value, place)
      order by series_id, ms, place
      on conflict do nothing
      returning series_id, at, value
    )
    insert into hourly as known (tenant_id, series_id, hour, n, total, low, high, last_at, last_value)
    select ${tx.tenant}, series_id, date_bin('1 hour', at, timestamptz 'epoch') as hour,
      count(*), sum(value), min(value), max(value), max(at), (array_agg(value order by at desc))[1]
    from fresh group by series_id, hour order by series_id, hour
    on conflict (tenant_id, series_id, hour) do update set
      n = known.n + excluded.n,
      total = known.total + excluded.total,
      low = least(known.low, excluded.low),
      high = greatest(known.high, excluded.high),
      last_at = greatest(known.last_at, excluded.last_at),
      last_value = case when excluded.last_at > known.last_at then excluded.last_value else known.last_value end
    ${prepared}`.execute(tx)
}

/**
 * Leaves out points that are already packed. Only readings of yesterday and before are looked up, with an hour of
 * tolerance for clock differences.
 */
async function withoutPacked(tx: TenantTx, columns: Points): Promise<Points> {
  const packed = packedBefore(new Date(Date.now() + 3_600_000)).getTime()
  const late = columns.at.flatMap((at, place) => (at < packed ? [{ at, series: columns.series[place]!, place }] : []))
  if (!late.length) return columns
  const known = new Set([...(await findPacked(tx, late))].map((found) => late[found]!.place))
  const isNew = (_: number, place: number) => !known.has(place)
  return {
    series: columns.series.filter(isNew),
    at: columns.at.filter(isNew),
    value: columns.value.filter(isNew),
  }
}

/**
 * The series of every device in the batch; missing ones are created. Only ids found before this transaction wrote
 * anything are cached: an id from a transaction that is rolled back must not stay.
 */
async function findSeries(
  tx: TenantTx,
  messages: IncomingReadings[],
  cache: SeriesCache,
): Promise<(deviceId: string) => SeriesIds> {
  const incomplete = devicesWithout(messages, (deviceId) => cache.of(tx.tenant, deviceId))
  if (incomplete.length)
    for (const row of await readSeries(tx, incomplete)) cache.of(tx.tenant, row.device_id).set(row.metric, row.id)
  const wanting = incomplete.length ? devicesWithout(messages, (deviceId) => cache.of(tx.tenant, deviceId)) : []
  if (!wanting.length) return (deviceId) => cache.of(tx.tenant, deviceId)

  await makeSeries(tx, messages, new Set(wanting))
  const made = new Map(wanting.map((deviceId) => [deviceId, new Map<string, number>()]))
  for (const row of await readSeries(tx, wanting)) made.get(row.device_id)!.set(row.metric, row.id)
  return (deviceId) => made.get(deviceId) ?? cache.of(tx.tenant, deviceId)
}

/** Devices that lack a series for a reading, and may have one more. */
function devicesWithout(messages: IncomingReadings[], seriesOf: (deviceId: string) => SeriesIds): string[] {
  const incomplete = new Set<string>()
  for (const { deviceId, payload } of messages) {
    if (incomplete.has(deviceId)) continue
    const known = seriesOf(deviceId)
    const lacks = (metric: string) => !known.has(metric) && (isMetricKey(metric) || !hasAllExtraSeries(known))
    if (payload.some(({ values }) => Object.keys(values).some(lacks))) incomplete.add(deviceId)
  }
  return [...incomplete]
}

function readSeries(tx: TenantTx, deviceIds: string[]) {
  return tx
    .selectFrom('series')
    .select(['id', 'device_id', 'metric'])
    .where('tenant_id', '=', tx.tenant)
    .where(sql<boolean>`device_id = any(${deviceIds}::uuid[])`)
    .execute()
}

/** Maximum number of extra series per device, so that it cannot fill the table. */
export const mostExtraSeries = 50

/**
 * Whether a device has reached the limit of extra series: readings of further ones are then rejected without a query.
 */
function hasAllExtraSeries(known: SeriesIds): boolean {
  if (known.size < mostExtraSeries) return false
  let extra = 0
  for (const metric of known.keys()) if (!isMetricKey(metric)) extra++
  return extra >= mostExtraSeries
}

/** The existing extra series of devices that need one more. */
async function extraSeriesOf(
  tx: TenantTx,
  wanted: ReadonlyMap<string, Set<string>>,
): Promise<Map<string, Set<string>>> {
  const asking = [...wanted].flatMap(([deviceId, metrics]) =>
    [...metrics].every((metric) => isMetricKey(metric)) ? [] : [deviceId],
  )
  if (!asking.length) return new Map()
  const rows = (await readSeries(tx, asking)).filter(({ metric }) => !isMetricKey(metric))
  return new Map(
    [...Map.groupBy(rows, (row) => row.device_id)].map(([id, of]) => [id, new Set(of.map(({ metric }) => metric))]),
  )
}

async function makeSeries(tx: TenantTx, messages: IncomingReadings[], wanting: Set<string>): Promise<void> {
  const wanted = new Map<string, Set<string>>()
  for (const { deviceId, payload } of messages) {
    if (!wanting.has(deviceId)) continue
    const metrics = wanted.get(deviceId) ?? new Set()
    for (const { values } of payload) for (const metric in values) metrics.add(metric)
    wanted.set(deviceId, metrics)
  }
  const extra = await extraSeriesOf(tx, wanted)
  const pairs = [...wanted].flatMap(([deviceId, metrics]) => {
    const known = extra.get(deviceId) ?? new Set()
    const named = [...metrics].filter((metric) => isMetricKey(metric))
    const others = [...metrics].filter((metric) => !isMetricKey(metric) && !known.has(metric))
    return [...named, ...others.slice(0, Math.max(0, mostExtraSeries - known.size))].map((metric) => ({
      deviceId,
      metric,
    }))
  })
  await sql`
    insert into series (tenant_id, device_id, metric)
    select ${tx.tenant}, device.id, wanted.metric
    from unnest(${pairs.map((pair) => pair.deviceId)}::uuid[], ${pairs.map((pair) => pair.metric)}::text[])
      as wanted (device_id, metric)
    join device on device.tenant_id = ${tx.tenant} and device.id = wanted.device_id
    order by device.id, wanted.metric
    on conflict do nothing
  `.execute(tx)
  await makeDue(tx, 'sum up days')
  await makeDue(tx, 'pack points')
  // Not at once: after an upgrade, the previous version may still look for the hours of other series in their former
  // table.
  await makeDue(tx, 'pack roll-ups', new Date(Date.now() + 86_400_000))
  await makeDue(tx, 'assess damp')
  await makeDue(tx, 'forget telemetry')
}
