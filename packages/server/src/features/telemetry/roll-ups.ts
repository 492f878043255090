import type { RawBuilder } from 'kysely'
import { sql } from 'kysely'
import { doDue } from '../../postgres/due.ts'
import type { Db } from '../../postgres/pool.ts'
import type { TenantTx } from '../../postgres/tenant.ts'
import { inTenant } from '../../postgres/tenant.ts'
import { closedBefore, rollUpDaysOf } from './days.ts'
import { hasSeries, seriesOf } from './walk.ts'

const day = 86_400_000
/** Days whose hours are rows: of these the reports and damp read many at a time, and late readings may still come to the last of them. */
export const looseDays = 62
/** Series whose hours one transaction packs, and of how many days. */
const [seriesAtOnce, daysAtOnce] = [100, 31]

/** Hours before this instant are packed. */
export const hoursPackedBefore = (now: Date) => new Date(Math.floor(+now / day - looseDays) * day)

/** When hours begin, both included: `from` may be a column. */
interface Between {
  from: Date | RawBuilder<unknown>
  to: Date
}

/**
 * The hours of a series that begin between two instants, as a table: its rows, and those that lie packed. Its columns are those of
 * `hourly` without its key. The series is a column or a parameter.
 */
export function hourlyOf(tx: TenantTx, series: RawBuilder<unknown>, { from, to }: Between): RawBuilder<unknown> {
  const rows = sql`
    select hour, n, total, low, high, last_at, last_value from hourly
    where hourly.tenant_id = ${tx.tenant} and hourly.series_id = ${series}
      and hourly.hour >= ${from} and hourly.hour <= ${to}`
  // With a day to spare for clocks that differ.
  if (from instanceof Date && +from > +hoursPackedBefore(new Date()) + day) return sql`(${rows})`
  return sql`(
    ${rows}
    union all
    select packed_hour.* from packed_roll_up as packed cross join lateral ${hours} as packed_hour
    where packed.tenant_id = ${tx.tenant} and packed.series_id = ${series}
      and packed.day > ${from}::timestamptz - interval '1 day' and packed.day <= ${to}
      and packed_hour.hour >= ${from} and packed_hour.hour <= ${to})`
}

/** When the last hour of a series before an instant began, as a value; null where there is none. */
export const lastHourBefore = (tx: TenantTx, series: RawBuilder<unknown>, before: Date): RawBuilder<unknown> => sql`
  coalesce((
    select max(hour) from hourly
    where hourly.tenant_id = ${tx.tenant} and hourly.series_id = ${series} and hour < ${before}
  ), (
    select max(packed_hour.hour) from (
      select * from packed_roll_up
      where packed_roll_up.tenant_id = ${tx.tenant} and packed_roll_up.series_id = ${series} and day < ${before}
      order by day desc limit 2) as packed
    cross join lateral ${hours} as packed_hour where packed_hour.hour < ${before}
  ))`

/** The hours of a day that lies packed in `packed`, in SQL. */
export const hoursOfPacked = `(
  select begun.hour, n, total, low, high, begun.hour + last_ms * interval '1 millisecond' as last_at, last_value
  from unnest(packed.hours, packed.n, packed.totals, packed.lows, packed.highs, packed.last_ms, packed.last_values)
    as roll_up (place, n, total, low, high, last_ms, last_value)
  cross join lateral (select packed.day + place * interval '1 hour' as hour) as begun)`
const hours = sql.raw(hoursOfPacked)

/**
 * Packs the hours of days that are long over, a row for each series and day. They are summed up by day before, and no reading is taken
 * any more that would change them. Returns how many such rows were written.
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
    // What is measured today is packed some day: at each run, for as long as there are series.
    next: async (tx) => ((await hasSeries(tx)) ? now : null),
  })
}

/** Packs the oldest hours of these series that are rows yet; undefined when there are none before the instant. */
async function packOldest(tx: TenantTx, series: number[], before: Date): Promise<number | undefined> {
  // Of a series that speaks no more the rows stay as they are: the newest of them tells its latest value.
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
        (extract(epoch from last_at - hour) * 1000)::integer as last_ms, last_value
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
