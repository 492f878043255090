import type { RawBuilder } from 'kysely'
import { sql } from 'kysely'
import type { TenantTx } from './tenant.ts'

const day = 86_400_000
/**
 * Days whose hours are stored as rows: reports and damp assessments read many days at a time, and late readings may
 * still arrive for the last of them.
 */
export const looseDays = 62

/** Hours before this instant are packed. */
export const hoursPackedBefore = (now: Date) => new Date(Math.floor(+now / day - looseDays) * day)

/** The start of the hours, both inclusive; `from` may be a column. */
interface Between {
  from: Date | RawBuilder<unknown>
  to: Date
}

/**
 * The hours of a series that begin between two instants, as a table, from both rows and packed days. It has the
 * columns of `hourly` without the key. `series` is a column or a parameter.
 */
export function hourlyOf(tx: TenantTx, series: RawBuilder<unknown>, { from, to }: Between): RawBuilder<unknown> {
  const rows = sql`
    select hour, n, total, low, high, last_at, last_value from hourly
    where hourly.tenant_id = ${tx.tenant} and hourly.series_id = ${series}
      and hourly.hour >= ${from} and hourly.hour <= ${to}`
  // One day of margin for clock differences.
  if (from instanceof Date && +from > +hoursPackedBefore(new Date()) + day) return sql`(${rows})`
  return sql`(
    ${rows}
    union all
    select packed_hour.* from packed_roll_up as packed cross join lateral ${hours} as packed_hour
    where packed.tenant_id = ${tx.tenant} and packed.series_id = ${series}
      and packed.day > ${from}::timestamptz - interval '24 hours' and packed.day <= ${to}
      and packed_hour.hour >= ${from} and packed_hour.hour <= ${to})`
}

/** When the last hour of a series before an instant began, as an SQL value; null if there is none. */
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

/** SQL for the hours of a day packed in `packed`. */
export const hoursOfPacked = `(
  select begun.hour, n, total, low, high, begun.hour + last_ms * interval '1 millisecond' as last_at, last_value
  from unnest(packed.hours, packed.n, packed.totals, packed.lows, packed.highs, packed.last_ms, packed.last_values)
    as roll_up (place, n, total, low, high, last_ms, last_value)
  cross join lateral (select packed.day + place * interval '1 hour' as hour) as begun)`
const hours = sql.raw(hoursOfPacked)
