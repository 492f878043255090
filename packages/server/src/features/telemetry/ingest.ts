import { sql } from 'kysely'
import type { Reading } from '@caretaker/contract/mqtt/payloads.ts'
import type { MetricKey } from '@caretaker/rules/telemetry/metrics.ts'
import type { Span } from '../../changes/changed.ts'
import { readQuietly } from '../../changes/changed.ts'
import type { Incoming } from '../../incoming.ts'
import { makeDue } from '../../postgres/due.ts'
import { prepared } from '../../postgres/prepared.ts'
import type { TenantTx } from '../../postgres/tenant.ts'
import { findPacked, packedBefore } from './pack.ts'

export type IncomingReadings = Incoming<Reading[]>
type SeriesIds = Map<string, number>

/** The ids of series by device and metric, kept between batches. */
export interface SeriesCache {
  of(tenant: string, deviceId: string): SeriesIds
  /** The device is gone, or is another one with the same id. */
  forget(deviceId: string): void
}

/** Holds the series of at most `limit` devices; those it has known longest go first. */
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
 * Stores readings of one tenant and keeps the hourly roll-ups exact: only points that were not there before are added to
 * them, so that repeated and late readings do no harm. Of two values for one instant of a series the first stays.
 * Returns the messages of devices that the tenant does not have. The caller announces that there are new ones.
 */
export async function ingestTelemetry(
  tx: TenantTx,
  messages: IncomingReadings[],
  cache: SeriesCache,
): Promise<IncomingReadings[]> {
  const seriesOf = await findSeries(tx, messages, cache)
  const unknown: IncomingReadings[] = []
  const spans = new Map<string, Span>()
  const columns: Columns = { series: [], at: [], value: [] }
  for (const message of messages) {
    const series = seriesOf(message.deviceId)
    if (collect(message, series, columns)) spans.set(message.deviceId, spanWith(spans.get(message.deviceId), message))
    else unknown.push(message)
  }
  if (columns.series.length) await storePoints(tx, columns)
  await readQuietly(tx, spans)
  return unknown
}

/** From when to when readings of a device were measured, those of one more message included. */
function spanWith(known: Span | undefined, { payload }: IncomingReadings): Span {
  let [from, to] = known ?? [Infinity, -Infinity]
  for (const { ts } of payload) {
    from = Math.min(from, ts)
    to = Math.max(to, ts)
  }
  return [from, to]
}

interface Columns {
  series: number[]
  /** ms since the epoch */
  at: number[]
  value: number[]
}

function collect({ payload }: IncomingReadings, series: SeriesIds, columns: Columns): boolean {
  for (const { ts, values } of payload) {
    for (const metric in values) {
      const id = series.get(metric)
      if (id === undefined) return false
      columns.series.push(id)
      columns.at.push(ts)
      columns.value.push(values[metric]!)
    }
  }
  return true
}

/**
 * One statement, so that the roll-up sees exactly the points that were new. Points and roll-ups are written in the order
 * of their keys: batches of several processes never wait for each other crosswise. What tells of one instant twice is
 * written in the order in which it came, so that the first stays.
 */
async function storePoints(tx: TenantTx, columns: Columns): Promise<void> {
  const { series, at, value } = await withoutPacked(tx, columns)
  // Array literals made here: the driver's own take a multiple of the time, and numbers need no quotes.
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
 * Leaves out what lies packed already. Only readings of yesterday and before are looked for, with an hour to spare for clocks that differ.
 */
async function withoutPacked(tx: TenantTx, columns: Columns): Promise<Columns> {
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
 * The series of every device in the batch; those that a first reading needs are made. Only what was found before
 * this transaction wrote anything goes into the cache: an id of a transaction that is undone must not stay there.
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

function devicesWithout(messages: IncomingReadings[], seriesOf: (deviceId: string) => SeriesIds): string[] {
  const incomplete = new Set<string>()
  for (const { deviceId, payload } of messages) {
    if (incomplete.has(deviceId)) continue
    const known = seriesOf(deviceId)
    if (payload.some(({ values }) => Object.keys(values).some((metric) => !known.has(metric)))) incomplete.add(deviceId)
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

async function makeSeries(tx: TenantTx, messages: IncomingReadings[], wanting: Set<string>): Promise<void> {
  const wanted = new Map<string, Set<MetricKey>>()
  for (const { deviceId, payload } of messages) {
    if (!wanting.has(deviceId)) continue
    const metrics = wanted.get(deviceId) ?? new Set()
    for (const { values } of payload) for (const metric in values) metrics.add(metric as MetricKey)
    wanted.set(deviceId, metrics)
  }
  const pairs = [...wanted].flatMap(([deviceId, metrics]) => [...metrics].map((metric) => ({ deviceId, metric })))
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
  // Not at once, for the sake of other series: a version that is being replaced looks for their hours where they were.
  await makeDue(tx, 'pack roll-ups', new Date(Date.now() + 86_400_000))
  await makeDue(tx, 'assess damp')
  await makeDue(tx, 'forget telemetry')
}
