import { sql } from 'kysely'
import { oldestReading } from '@caretaker/rules/calendar/device-clock.ts'
import type { Count, CounterLimit } from '@caretaker/rules/telemetry/counters.ts'
import { judgeCounts, judgeLateCounts } from '@caretaker/rules/telemetry/counters.ts'
import type { BadMessageReason } from '@caretaker/rules/devices/messages.ts'
import { prepared } from '../../postgres/prepared.ts'
import type { TenantTx } from '../../postgres/tenant.ts'

/** A counter reading to be stored. */
export interface IncomingCount extends Count {
  series: number
  deviceId: string
  metric: string
  limit: CounterLimit
}

/** A reading that is not stored, and why. */
export interface ReadingSetAside extends Count {
  deviceId: string
  metric: string
  reason: BadMessageReason
}

interface KnownCounter {
  last: Count | undefined
  held: [at: number, value: number][]
}

/**
 * Checks counter readings against the stored ones, and holds back those that need the next readings. Returns what to
 * store.
 */
export async function judgeCounters(
  tx: TenantTx,
  counts: readonly IncomingCount[],
): Promise<{ stored: { series: number; at: number; value: number }[]; setAside: ReadingSetAside[] }> {
  const bySeries = Map.groupBy(counts, ({ series }) => series)
  const known = await readCounters(tx, [...bySeries.keys()])
  const stored: { series: number; at: number; value: number }[] = []
  const setAside: ReadingSetAside[] = []
  const late: (IncomingCount & { wasHeld?: boolean })[] = []
  const held = new Map<number, [number, number][]>()
  // Older readings are rejected: their day is closed, and the partition of its points may be dropped.
  const oldest = Date.now() - oldestReading
  for (const [series, of] of bySeries) {
    const counter = known.get(series)
    const { last, held: kept = [] } = counter ?? { last: undefined }
    const before = kept.filter(([at]) => at >= oldest)
    const inOrder = of.toSorted((a, b) => a.at - b.at)
    const { deviceId, metric, limit } = inOrder[0]!
    for (const [at, value] of kept)
      if (at < oldest && last && at > last.at && value < last.value)
        setAside.push({ deviceId, metric, at, value, reason: 'counter glitch' })
    const fresh = last ? inOrder.filter(({ at }) => at > last.at) : inOrder
    const came = last ? inOrder.filter(({ at }) => at < last.at) : []
    const isLate = ([at]: [number, number]) => last !== undefined && at < last.at
    // A repeated reading with another value replaces the one held back.
    const again = new Map(came.map(({ at, value }) => [at, value]))
    const waiting = before.filter((one) => isLate(one) && (again.get(one[0]) ?? one[1]) === one[1])
    if (came.length > 0) {
      const counter = { series, deviceId, metric, limit }
      late.push(...waiting.map(([at, value]) => ({ ...counter, at, value, wasHeld: true })), ...came)
    }
    const departed = before.filter((one) => !isLate(one)).map(([at, value]) => ({ at, value }))
    const judged = judgeCounts(limit, { last, held: departed }, fresh)
    for (const { at, value } of judged.stored) stored.push({ series, at, value })
    for (const { at, value, reason } of judged.setAside) setAside.push({ deviceId, metric, at, value, reason })
    held.set(series, [...(came.length > 0 ? [] : waiting), ...judged.held.map(asHeld)])
  }
  const judgedLate = await judgeLate(tx, late)
  for (const [series, counts] of judgedLate.held) held.set(series, [...counts.map(asHeld), ...held.get(series)!])
  for (const [series, next] of held)
    if (JSON.stringify(next) === JSON.stringify(known.get(series)?.held ?? [])) held.delete(series)
  await keepHeld(tx, held)
  return { stored: [...stored, ...judgedLate.stored], setAside: [...setAside, ...judgedLate.setAside] }
}

const asHeld = ({ at, value }: Count): [number, number] => [at, value]

/** The newest reading of each counter, and the readings held back. */
async function readCounters(tx: TenantTx, series: number[]): Promise<Map<number, KnownCounter>> {
  const { rows } = await sql<{ id: number; held: KnownCounter['held'] | null; at: Date | null; value: number }>`
    select series.id, held, newest.last_at as at, newest.last_value as value
    from unnest(${`{${series.join()}}`}::bigint[]) as wanted (id)
    join series on series.tenant_id = ${tx.tenant} and series.id = wanted.id
    left join lateral (
      select last_at, last_value from hourly
      where hourly.tenant_id = ${tx.tenant} and series_id = series.id order by hour desc limit 1) newest on true
    ${prepared}`.execute(tx)
  return new Map(
    rows.map(({ id, held, at, value }) => [
      id,
      { held: held ?? [], last: at ? { at: at.getTime(), value } : undefined },
    ]),
  )
}

async function keepHeld(tx: TenantTx, held: ReadonlyMap<number, [number, number][]>): Promise<void> {
  if (!held.size) return
  const texts = [...held.values()].map((counts) => (counts.length ? JSON.stringify(counts) : null))
  await sql`
    update series set held = input.held
    from unnest(${`{${[...held.keys()].join()}}`}::bigint[], ${texts}::jsonb[]) as input (id, held)
    where series.tenant_id = ${tx.tenant} and series.id = input.id`.execute(tx)
}

/** Checks readings older than the newest of their counter against the stored ones around them. */
async function judgeLate(tx: TenantTx, late: readonly (IncomingCount & { wasHeld?: boolean })[]) {
  const stored: { series: number; at: number; value: number }[] = []
  const setAside: ReadingSetAside[] = []
  const held = new Map<number, Count[]>()
  if (!late.length) return { stored, setAside, held }
  // The last reading of an hour is always stored as a row, wherever the others of that hour are.
  const { rows } = await sql<{ at: Date | null; value: number; next_at: Date | null; next_value: number }>`
    select before.at, before.value, after.at as next_at, after.value as next_value
    from unnest(
      ${`{${late.map(({ series }) => series).join()}}`}::bigint[], ${`{${late.map(({ at }) => at).join()}}`}::float8[]
    ) with ordinality as late (id, ms, place)
    left join lateral (
      select at, value from (
        (select at, value from point
          where point.tenant_id = ${tx.tenant} and series_id = late.id and at < to_timestamp(late.ms / 1000)
          order by at desc limit 1)
        union all
        (select last_at, last_value from hourly
          where hourly.tenant_id = ${tx.tenant} and series_id = late.id
            and hour < date_bin('1 hour', to_timestamp(late.ms / 1000), timestamptz 'epoch')
          order by hour desc limit 1)) as either
      order by at desc limit 1) before on true
    left join lateral (
      select at, value from (
        (select at, value from point
          where point.tenant_id = ${tx.tenant} and series_id = late.id and at > to_timestamp(late.ms / 1000)
          order by at limit 1)
        union all
        (select last_at, last_value from hourly
          where hourly.tenant_id = ${tx.tenant} and series_id = late.id
            and hour >= date_bin('1 hour', to_timestamp(late.ms / 1000), timestamptz 'epoch')
            and last_at > to_timestamp(late.ms / 1000)
          order by hour limit 1)) as either
      order by at limit 1) after on true
    order by late.place`.execute(tx)
  const found = late.map((count, place) => {
    const { at, value, next_at: next, next_value: nextValue } = rows[place]!
    return {
      ...{ count, wasHeld: count.wasHeld ?? false },
      before: at ? { at: at.getTime(), value } : undefined,
      after: next ? { at: next.getTime(), value: nextValue } : undefined,
    }
  })
  for (const [series, of] of Map.groupBy(found, ({ count }) => count.series)) {
    const { deviceId, metric, limit } = of[0]!.count
    const judged = judgeLateCounts(limit, of)
    for (const { at, value } of judged.stored) stored.push({ series, at, value })
    for (const { at, value, reason } of judged.setAside) setAside.push({ deviceId, metric, at, value, reason })
    held.set(series, judged.held)
  }
  return { stored, setAside, held }
}
