import { sql } from 'kysely'
import { oldestReading } from '@caretaker/rules/calendar/device-clock.ts'
import { doDue } from '../../postgres/due.ts'
import type { Db } from '../../postgres/pool.ts'
import type { TenantTx } from '../../postgres/tenant.ts'
import { inTenant } from '../../postgres/tenant.ts'
import { hourlyOf } from '../../postgres/hourly.ts'
import { hasSeries, seriesOf } from './walk.ts'

const day = 86_400_000

/** Days before this instant are closed: their readings are no longer accepted. */
export const closedBefore = (now: Date) => new Date(Math.floor((now.getTime() - oldestReading - day) / day) * day)

/**
 * Sums up the hours of closed days, each series from where it stopped. A day is closed when it is older than any
 * reading still accepted, so its sum never changes. Returns how many days were written.
 */
export async function rollUpDays(db: Db, now = new Date()): Promise<number> {
  const closed = closedBefore(now)
  return doDue(db, {
    work: 'sum up days',
    now,
    run: async (tenant) => {
      let made = 0
      for await (const series of seriesOf(db, tenant, 100))
        made += await inTenant(db, tenant, (tx) => rollUpDaysOf(tx, series, closed))
      return made
    },
    // Today's readings are summed up later, so the job stays due as long as there are series.
    next: async (tx) => ((await hasSeries(tx)) ? now : null),
  })
}

/**
 * Sums up the hours of some series before an instant, as far as that is not done. Returns how many days were written.
 */
export async function rollUpDaysOf(tx: TenantTx, series: number[], closed: Date): Promise<number> {
  const { numAffectedRows } = await sql`
    insert into daily (tenant_id, series_id, day, n, total, low, high)
    select ${tx.tenant}, id, made.* from unnest(${series}::bigint[]) id,
      -- The bound is a column by itself: behind row security anything more would be checked row by row.
      lateral (select coalesce(max(day) + interval '24 hours', '-infinity') as since from daily
        where tenant_id = ${tx.tenant} and series_id = id) made_before,
      lateral (select date_trunc('day', hour, 'UTC'), sum(n), sum(total), min(low), max(high) from hourly
        where tenant_id = ${tx.tenant} and series_id = id and hour >= since and hour < ${closed}
        group by 1) made
    on conflict do nothing`.execute(tx)
  return Number(numAffectedRows)
}

/**
 * Sums up closed days of devices again, because readings for them arrived later than any others may. Days that are not
 * summed up yet are left to the next run.
 * @param days their first instants, in ms
 */
export async function sumUpDaysAgain(
  tx: TenantTx,
  deviceIds: readonly string[],
  days: readonly number[],
): Promise<void> {
  for (const first of days) {
    const [from, to] = [new Date(first), new Date(first + day - 3_600_000)]
    const { rows: gone } = await sql<{ id: number }>`
      delete from daily using series
      where daily.tenant_id = ${tx.tenant} and series.tenant_id = ${tx.tenant} and daily.series_id = series.id
        and series.device_id = any(${[...deviceIds]}::uuid[]) and daily.day = ${from}
      returning series.id`.execute(tx)
    await sql`
      insert into daily (tenant_id, series_id, day, n, total, low, high)
      select ${tx.tenant}, series.id, ${from}::timestamptz, sum(n), sum(total), min(low), max(high)
      from series cross join lateral ${hourlyOf(tx, sql`series.id`, { from, to })} as one
      where series.tenant_id = ${tx.tenant} and series.device_id = any(${[...deviceIds]}::uuid[])
        and (series.id = any(${`{${gone.map(({ id }) => id).join()}}`}::bigint[]) or exists (
          select from daily where tenant_id = ${tx.tenant} and series_id = series.id and day > ${from}))
      group by series.id
      on conflict do nothing`.execute(tx)
  }
}
