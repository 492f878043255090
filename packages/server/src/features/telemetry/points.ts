import { sql } from 'kysely'
import type { Readings } from '@caretaker/rules/telemetry/thin.ts'
import { outlineWidth } from '@caretaker/rules/telemetry/thin.ts'
import { prepared } from '../../postgres/prepared.ts'
import type { TenantTx } from '../../postgres/tenant.ts'

/** The requested time range, both ends included. */
export interface Range {
  from: Date
  to: Date
}

/** Maximum number of readings of one series in a range. */
const mostReadings = 250_000
/** Maximum number of readings of all series in a call, which bounds its memory. */
const mostInAll = 2_000_000

interface Row {
  id: number
  /**
   * Packed days in base64, one after the other: the start of the day, its gaps and its readings, in the binary format
   * of the database.
   */
  days: string | null
  /** Points of unpacked days, and late ones: instant and value. */
  loose: Buffer | null
  /** The number of packed and loose readings. */
  n: number
}

/**
 * The only way to read points: every reading of each series in a range, in order of time, by series id; series with too
 * many readings are left out. If the caller thins to buckets of this many ms, outlines are used where the result is the
 * same. Returns functions that unpack one series at a time, because each may be large.
 */
export async function readPoints(
  tx: TenantTx,
  series: readonly number[],
  { from, to }: Range,
  bucket = 0,
): Promise<Map<number, () => Readings>> {
  if (!series.length) return new Map()
  const most = Math.min(mostReadings, Math.floor(mostInAll / series.length))
  const firstDay = new Date(Math.floor(+from / day) * day)
  // A day cut by the range is needed in full: its outline does not show which points lie outside.
  const isOutlined =
    bucket >= outlineWidth
      ? sql<boolean>`outline_of = n and day >= ${from} and day <= ${new Date(+to - day)}`
      : sql<boolean>`false`
  // Sent one series at a time and unpacked here: reading 10,000 rows one by one takes five times as long, and sending
  // numbers as text twice as long as sending bytes. Base64, because the driver would decode the bytes of all series
  // at once from a text half as long again. All series are in one query, which sees one state: planning over the
  // partitions takes as long as reading two days.
  const { rows } = await sql<Row>`
    select id, packed.days, loose.points as loose, counted.n + coalesce(octet_length(loose.points) / 16, 0) as n
    from unnest(${series}::bigint[]) as wanted (id)
    cross join lateral (
      select coalesce(sum(n), 0)::integer as n from packed_day
      where tenant_id = ${tx.tenant} and series_id = wanted.id and day >= ${firstDay} and day <= ${to}) counted
    left join lateral (
      select encode(string_agg(timestamptz_send(day)
          || array_send(case when ${isOutlined} then outline_gaps else gaps end)
          || array_send(case when ${isOutlined} then outline_readings else readings end), '' order by day), 'base64') as days
      from packed_day
      where tenant_id = ${tx.tenant} and series_id = wanted.id and day >= ${firstDay} and day <= ${to}
        and counted.n <= ${most}) packed on true
    left join lateral (
      select string_agg(timestamptz_send(at) || float8send(value), '' order by at) as points
      from (select at, value from point
        where tenant_id = ${tx.tenant} and series_id = wanted.id and at >= ${from} and at <= ${to}
        order by at limit ${most + 1}) reading) loose on true ${prepared}`.execute(tx)
  const fitting = rows.filter(({ n }) => n <= most)
  return new Map(fitting.map(({ id, days, loose }) => [id, () => merge(unpack(days, { from, to }), looseOf(loose))]))
}

const day = 86_400_000

/**
 * The readings of packed days within a range. The database sends an array as a twelve-byte header, its length and
 * lower bound, and before each value its length, which is always the same.
 */
function unpack(days: string | null, range: Range): Readings {
  if (!days) return { dates: [], values: [] }
  const [from, to] = [range.from.getTime(), range.to.getTime()]
  const view = viewOf(Buffer.from(days, 'base64'))
  const most = Math.floor(view.byteLength / (4 + 4 + 4 + 8))
  const [dates, values] = [new Float64Array(most), new Float64Array(most)]
  let count = 0
  for (let offset = 0; offset < view.byteLength;) {
    let at = instantAt(view, offset)
    const n = view.getInt32(offset + 8 + 12)
    const gaps = offset + 8 + 20 + 4
    const readings = gaps + n * 8 + 20
    for (let place = 0; place < n; place++) {
      at += view.getInt32(gaps + place * 8)
      if (at < from || at > to) continue
      dates[count] = at
      values[count++] = view.getFloat64(readings + place * 12)
    }
    offset = readings - 4 + n * 12
  }
  return { dates: dates.subarray(0, count), values: values.subarray(0, count) }
}

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

/** Both are in order of time; usually everything loose is newer than what is packed. */
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

/** A timestamp from eight bytes in Postgres format (microseconds since 2000), in ms since the epoch. */
export function instantAt(view: DataView, offset: number): number {
  const microseconds = view.getInt32(offset) * 2 ** 32 + view.getUint32(offset + 4)
  return postgresEpoch + Math.floor(microseconds / 1000)
}

export const viewOf = (packed: Buffer) => new DataView(packed.buffer, packed.byteOffset, packed.byteLength)
