import { sql } from 'kysely'
import type { Readings } from '@caretaker/rules/telemetry/thin.ts'
import type { TenantTx } from '../../postgres/tenant.ts'

/** A time in which readings are asked for, both ends included. */
export interface Range {
  from: Date
  to: Date
}

/** What one series' readings of a range may be at most. */
const mostReadings = 250_000
/** And those of all series of a call together: what a call takes of memory is bounded. */
const mostInAll = 2_000_000

interface Row {
  id: number
  /** Packed days, one after the other: when the day begins in milliseconds, its gaps and its readings, as the database writes arrays. */
  days: string | null
  /** Points of days that are not packed, and late ones: instant and value. */
  loose: Buffer | null
  /** Readings of the packed days and loose ones. */
  n: number
}

/**
 * The one way to read points: every reading of each series in a range, in order of time, by the series' ids; series with too many
 * readings are left out. Gives what unpacks each: it may be large, and is wanted one at a time.
 */
export async function readPoints(
  tx: TenantTx,
  series: readonly number[],
  { from, to }: Range,
): Promise<Map<number, () => Readings>> {
  if (!series.length) return new Map()
  const most = Math.min(mostReadings, Math.floor(mostInAll / series.length))
  const firstDay = new Date(Math.floor(+from / day) * day)
  // Sent a series at a time and unpacked here: reading 10,000 rows one by one takes five times as long. All series
  // in one query, which sees one state: planning over the partitions takes as long as reading two days.
  const { rows } = await sql<Row>`
    select id, packed.days, loose.points as loose, counted.n + coalesce(octet_length(loose.points) / 16, 0) as n
    from unnest(${series}::bigint[]) as wanted (id)
    cross join lateral (
      select coalesce(sum(n), 0)::integer as n from packed_day
      where tenant_id = ${tx.tenant} and series_id = wanted.id and day >= ${firstDay} and day <= ${to}) counted
    left join lateral (
      select string_agg((extract(epoch from day) * 1000)::bigint || gaps::text || readings::text, '' order by day) as days
      from packed_day
      where tenant_id = ${tx.tenant} and series_id = wanted.id and day >= ${firstDay} and day <= ${to}
        and counted.n <= ${most}) packed on true
    left join lateral (
      select string_agg(timestamptz_send(at) || float8send(value), '' order by at) as points
      from (select at, value from point
        where tenant_id = ${tx.tenant} and series_id = wanted.id and at >= ${from} and at <= ${to}
        order by at limit ${most + 1}) reading) loose on true`.execute(tx)
  const fitting = rows.filter(({ n }) => n <= most)
  return new Map(fitting.map(({ id, days, loose }) => [id, () => merge(unpack(days, { from, to }), looseOf(loose))]))
}

const day = 86_400_000

/** Readings of packed days within a range. */
function unpack(days: string | null, { from, to }: Range): Readings {
  if (!days) return { dates: [], values: [] }
  const parts = days.split(/[{}]+/)
  const [dates, values]: [number[], number[]] = [[], []]
  for (let part = 0; part + 2 < parts.length; part += 3) {
    let at = Number(parts[part])
    const gaps = numbersOf(parts[part + 1]!)
    const readings = numbersOf(parts[part + 2]!)
    for (const [place, gap] of gaps.entries()) {
      at += gap
      if (at < +from || at > +to) continue
      dates.push(at)
      values.push(readings[place]!)
    }
  }
  return { dates, values }
}

/** Parsed as JSON: bytes come as text too, of four times the length, whose garbage stops the process for longer than this takes. */
const numbersOf = (list: string) => JSON.parse(`[${list}]`) as number[]

function looseOf(points: Buffer | null): Readings {
  const count = (points?.byteLength ?? 0) / 16
  const [dates, values] = [new Float64Array(count), new Float64Array(count)]
  if (points) {
    const view = viewOf(points)
    for (let at = 0; at < count; at++) {
      dates[at] = instantAt(view, at * 16)
      values[at] = view.getFloat64(at * 16 + 8)
    }
  }
  return { dates, values }
}

/** Both in order of time; as a rule everything loose is newer than what is packed. */
function merge(packed: Readings, loose: Readings): Readings {
  if (!packed.dates.length) return loose
  if (!loose.dates.length) return packed
  const count = packed.dates.length + loose.dates.length
  const [dates, values] = [new Float64Array(count), new Float64Array(count)]
  for (let at = 0, one = 0, other = 0; at < count; at++) {
    const isPacked = other === loose.dates.length || packed.dates[one]! <= loose.dates[other]!
    const source = isPacked ? packed : loose
    const place = isPacked ? one++ : other++
    dates[at] = source.dates[place]!
    values[at] = source.values[place]!
  }
  return { dates, values }
}

const postgresEpoch = Date.UTC(2000, 0, 1)

/** Of eight bytes as Postgres sends an instant: microseconds since 2000. Given in milliseconds, as everywhere else. */
export function instantAt(view: DataView, offset: number): number {
  const microseconds = view.getInt32(offset) * 2 ** 32 + view.getUint32(offset + 4)
  return postgresEpoch + Math.floor(microseconds / 1000)
}

export const viewOf = (packed: Buffer) => new DataView(packed.buffer, packed.byteOffset, packed.byteLength)
