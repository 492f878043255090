import { sql } from 'kysely'
import { outlineWidth } from '@caretaker/rules/telemetry/thin.ts'
import { doDue } from '../../postgres/due.ts'
import type { Db } from '../../postgres/pool.ts'
import type { TenantTx } from '../../postgres/tenant.ts'
import { inTenant } from '../../postgres/tenant.ts'
import { packHours, unpackHours } from './hours.ts'
import { hasSeries, seriesOf } from './walk.ts'

const day = 86_400_000
/** Series packed per day and transaction: a hundred with one reading a minute have 144,000 points. */
const atOnce = 100

/** Points before this instant are packed: those of days that ended a day ago. */
export const packedBefore = (now: Date) => new Date(Math.floor((+now - day) / day) * day)

/**
 * Packs the points of days that ended a day ago into one row per series and day, inserting late ones among them; then
 * their hours. A day of some series is packed in one transaction, so no reader sees it halfway. Returns how many rows
 * were written.
 */
export async function packPoints(db: Db, now = new Date()): Promise<number> {
  const before = packedBefore(now)
  return doDue(db, {
    work: 'pack points',
    now,
    run: async (tenant) => {
      let packed = 0
      for await (const series of seriesOf(db, tenant, atOnce)) {
        for (;;) {
          const rows = await inTenant(db, tenant, (tx) => packOldest(tx, series, before))
          if (!rows) break
          packed += rows
        }
        await inTenant(db, tenant, (tx) => packHours(tx, series, before))
      }
      return packed
    },
    // Today's readings are packed later, so the job stays due as long as there are series.
    next: async (tx) => ((await hasSeries(tx)) ? now : null),
  })
}

/**
 * Packs the oldest day with unpacked points of these series, with its outline if that is at most half of it;
 * undefined if there is none before the instant.
 */
async function packOldest(tx: TenantTx, series: number[], before: Date): Promise<number | undefined> {
  const { rows } = await sql<{ at: Date | null }>`
    select min(oldest.at) as at from unnest(${series}::bigint[]) as wanted (id) cross join lateral (
      select at from point where tenant_id = ${tx.tenant} and series_id = wanted.id and at < ${before}
      order by at limit 1) oldest`.execute(tx)
  const oldest = rows[0]!.at
  if (!oldest) return undefined
  const from = new Date(Math.floor(+oldest / day) * day)
  await holdSeries(tx, series)
  await unpackHours(tx, series, from)
  const { numAffectedRows } = await sql`
    with moved as (
      delete from point where tenant_id = ${tx.tenant} and series_id = any(${series}::bigint[])
        and at >= ${from} and at < ${new Date(+from + day)}
      returning series_id, floor(extract(epoch from at - ${from}::timestamptz) * 1000)::integer as ms, value
    ), known as (
      select packed_day.series_id, sum(gap) over (partition by packed_day.series_id order by place)::integer as ms, value
      from (select distinct series_id from moved) touched
      join packed_day on packed_day.tenant_id = ${tx.tenant} and packed_day.series_id = touched.series_id and day = ${from}
      cross join unnest(gaps, readings) with ordinality as reading (gap, value, place)
    ), together as (
      select series_id, ms, value, ms / ${sql.lit(outlineWidth)} as span,
        ms - lag(ms, 1, 0) over (partition by series_id order by ms) as gap
      from (select * from known union all select * from moved) reading
    ), days as (
      select series_id, count(*)::integer as n, array_agg(gap order by ms) as gaps, array_agg(value order by ms) as readings
      from together group by series_id
    ), outlined as (
      select series_id, ms, value, ms - lag(ms, 1, 0) over (partition by series_id order by ms) as gap
      from (
        select series_id, ms, value,
          lag(span) over in_time is distinct from span or lead(span) over in_time is distinct from span
            or row_number() over (partition by series_id, span order by value, ms) = 1
            or row_number() over (partition by series_id, span order by value desc, ms) = 1 as is_kept
        from together window in_time as (partition by series_id order by ms)) reading
      where is_kept
    ), outlines as (
      select series_id, count(*) as n, array_agg(gap order by ms) as gaps, array_agg(value order by ms) as readings
      from outlined group by series_id
    )
    insert into packed_day
      (tenant_id, series_id, day, n, gaps, readings, outline_of, outline_gaps, outline_readings)
    select ${tx.tenant}, days.series_id, ${from}, days.n, days.gaps, days.readings,
      case when outlines.series_id is not null then days.n end, outlines.gaps, outlines.readings
    from days left join outlines on outlines.series_id = days.series_id and outlines.n <= days.n / 2
    on conflict (tenant_id, series_id, day) do update
      set n = excluded.n, gaps = excluded.gaps, readings = excluded.readings,
        outline_of = excluded.outline_of, outline_gaps = excluded.outline_gaps, outline_readings = excluded.outline_readings`.execute(
    tx,
  )
  return Number(numAffectedRows)
}

/** Blocks late readings of these series until the transaction ends: existing ones must not move meanwhile. */
async function holdSeries(tx: TenantTx, series: number[]): Promise<void> {
  await sql`
    select from series where tenant_id = ${tx.tenant} and id = any(${series}::bigint[])
    order by id for no key update`.execute(tx)
}

/** A reading so old that its day may be packed, or be about to be. */
export interface LateReading {
  series: number
  /** ms since the epoch */
  at: number
}

/**
 * The indexes of those readings that are already packed. Locks their series until the transaction ends, so that this
 * stays true.
 */
export async function findPacked(tx: TenantTx, late: readonly LateReading[]): Promise<Set<number>> {
  const series = [...new Set(late.map((reading) => reading.series))]
  await sql`
    select from series where tenant_id = ${tx.tenant} and id = any(${series}::bigint[])
    order by id for share`.execute(tx)
  const { rows } = await sql<{ place: number }>`
    with wanted as (
      select series_id, at, date_bin('1 day', at, timestamptz 'epoch') as day, place
      from unnest(
        ${late.map((reading) => reading.series)}::bigint[],
        ${late.map(({ at }) => new Date(at).toISOString())}::timestamptz[]
      ) with ordinality as reading (series_id, at, place)
    ), packed as (
      select packed_day.series_id, packed_day.day,
        sum(gap) over (partition by packed_day.series_id, packed_day.day order by place) as ms
      from (select distinct series_id, day from wanted) as days
      join packed_day on packed_day.tenant_id = ${tx.tenant} and packed_day.series_id = days.series_id
        and packed_day.day = days.day
      cross join unnest(gaps) with ordinality as reading (gap, place)
    )
    select wanted.place::integer as place
    from wanted join packed on packed.series_id = wanted.series_id and packed.day = wanted.day
      and packed.ms = extract(epoch from wanted.at - wanted.day) * 1000`.execute(tx)
  return new Set(rows.map(({ place }) => place - 1))
}
