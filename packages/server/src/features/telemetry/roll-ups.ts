import { sql } from 'kysely'
import { doDue } from '../../postgres/due.ts'
import { hoursPackedBefore } from '../../postgres/hourly.ts'
import type { Db } from '../../postgres/pool.ts'
import type { TenantTx } from '../../postgres/tenant.ts'
import { inTenant } from '../../postgres/tenant.ts'
import { closedBefore, rollUpDaysOf } from './days.ts'
import { hasSeries, seriesOf } from './walk.ts'

const day = 86_400_000
/** The last ms of an hour: its newest reading is no later. */
const lastOfHour = 3_599_999
/** Series packed per transaction, and days. */
const [seriesAtOnce, daysAtOnce] = [100, 31]

/**
 * Packs the hours of long closed days into one row per series and day. They have been summed up by day before, and no
 * accepted reading changes them any more. Returns how many rows were written.
 */
export async function packRollUps(db: Db, now = new Date()): Promise<number> {
  const before = hoursPackedBefore(now)
  return doDue(db, {
    work: 'pack roll-ups',
    now,
    run: async (tenant) => {
      let packed = 0
      for await (const series of seriesOf(db, tenant, seriesAtOnce)) {
        await inTenant(db, tenant, (tx) => rollUpDaysOf(tx, series, closedBefore(now)))
        for (;;) {
          const rows = await inTenant(db, tenant, (tx) => packOldest(tx, series, before))
          if (rows === undefined) break
          packed += rows
        }
      }
      return packed
    },
    // Today's readings are packed later, so the job stays due as long as there are series.
    next: async (tx) => ((await hasSeries(tx)) ? now : null),
  })
}

/** Packs the oldest unpacked hours of these series; undefined if there are none before the instant. */
async function packOldest(tx: TenantTx, series: number[], before: Date): Promise<number | undefined> {
  // The rows of a series without new readings stay: the newest holds its latest value.
  const { rows } = await sql<{ id: number; oldest: Date }>`
    select wanted.id, first.hour as oldest from unnest(${series}::bigint[]) as wanted (id)
    cross join lateral (
      select hour from hourly where tenant_id = ${tx.tenant} and series_id = wanted.id order by hour limit 1) first
    cross join lateral (
      select hour from hourly where tenant_id = ${tx.tenant} and series_id = wanted.id order by hour desc limit 1) last
    where first.hour < ${before} and last.hour >= ${before}`.execute(tx)
  if (!rows.length) return undefined
  const from = Math.floor(Math.min(...rows.map(({ oldest }) => +oldest)) / day) * day
  const until = new Date(Math.min(from + daysAtOnce * day, +before))
  const { numAffectedRows } = await sql`
    with moved as (
      delete from hourly where tenant_id = ${tx.tenant} and series_id = any(${rows.map(({ id }) => id)}::bigint[])
        and hour >= ${new Date(from)} and hour < ${until}
      returning series_id, date_bin('1 day', hour, timestamptz 'epoch') as day, hour,
        extract(hour from hour at time zone 'UTC')::smallint as place, n, total, low, high,
        least(extract(epoch from last_at - hour) * 1000, ${lastOfHour})::integer as last_ms, last_value
    )
    insert into packed_roll_up as known
      (tenant_id, series_id, day, hours, n, totals, lows, highs, last_ms, last_values)
    select ${tx.tenant}, series_id, day, array_agg(place order by hour), array_agg(n order by hour),
      array_agg(total order by hour), array_agg(low order by hour), array_agg(high order by hour),
      array_agg(last_ms order by hour), array_agg(last_value order by hour)
    from moved group by series_id, day
    on conflict (tenant_id, series_id, day) do update
      set hours = known.hours || excluded.hours, n = known.n || excluded.n, totals = known.totals || excluded.totals,
        lows = known.lows || excluded.lows, highs = known.highs || excluded.highs,
        last_ms = known.last_ms || excluded.last_ms, last_values = known.last_values || excluded.last_values`.execute(
    tx,
  )
  return Number(numAffectedRows)
}
