/** A period in which an autofill let water into a heating system; times in ms since the epoch, pressures in bar. */
export interface Fill {
  start: number
  end: number
  before: number
  after: number
}

/** Smallest pressure rise that heating alone does not explain, in bar. */
const leastRise = 0.25
/** Pressure fluctuation without filling, in bar. */
const noise = 0.1

/** The fills detected in the pressure of a system, newest first. Readings ascend; a null value is a gap. */
export function fillsIn(readings: readonly { date: number; value: number | null }[]): Fill[] {
  const fills: Fill[] = []
  let rise: Fill | undefined
  const close = () => {
    if (rise && rise.after - rise.before >= leastRise) fills.push(rise)
    rise = undefined
  }
  let last: { date: number; value: number } | undefined
  for (const { date, value } of readings) {
    if (value === null) continue
    if (last && value - last.value > noise)
      rise = rise
        ? { ...rise, end: date, after: value }
        : { start: last.date, end: date, before: last.value, after: value }
    else if (rise && value > rise.after) rise = { ...rise, end: date, after: value }
    else close()
    last = { date, value }
  }
  close()
  return fills.reverse()
}

/** The number of fills that began within the last `days` before `now`. */
export function fillsWithin(fills: readonly Pick<Fill, 'start'>[], days: number, now: number): number {
  return fills.filter(({ start }) => now - start <= days * 86_400_000).length
}

/** The pressures between which an autofill keeps a system, in bar. */
export interface KeptBand {
  low: number
  high: number
}

/**
 * The pressure band of an autofill, derived from its fills because no autofill reports its settings. Uses the median,
 * so that late or incomplete fills do not count; undefined for a single fill.
 */
export function keptBand(fills: readonly Pick<Fill, 'before' | 'after'>[]): KeptBand | undefined {
  if (fills.length < 2) return undefined
  const middle = (values: number[]) => Math.round(values.toSorted((a, b) => a - b)[values.length >> 1]! * 10) / 10
  const [low, high] = [middle(fills.map(({ before }) => before)), middle(fills.map(({ after }) => after))]
  return low < high ? { low, high } : undefined
}

/** A lockout of an autofill; `end` is null while it lasts. Times in ms. */
export interface Lockout {
  start: number
  end: number | null
  /** Pressure before the lockout in bar; null if there was no reading. */
  before: number | null
}

/** The category of events by which an autofill reports letting water in, with start and end. */
export const topUp = 'Top up'

/** A top-up reported by an autofill, in ms. */
export interface TopUp {
  start: number
  end: number | null
}

/** A fill or lockout of an autofill. Times in ms, pressures in bar; null if unknown. */
export interface FillRow {
  start: number
  /** ms; null if start and end were not reported. */
  lasted: number | null
  /** Litres let in. */
  litres: number | null
  before: number | null
  after: number | null
  lockout: Lockout | null
}

type Readings = readonly { date: number; value: number | null }[]

/**
 * The increase of a litre counter between two times; null if a reading is missing on either side or the counter
 * restarted.
 */
export function litresBetween(counter: Readings, from: number, to: number): number | null {
  const before = counter.findLast(({ date, value }) => date <= from && value !== null)?.value
  const after = counter.find(({ date, value }) => date >= to && value !== null)?.value
  return before == null || after == null || after < before ? null : Math.round((after - before) * 100) / 100
}

/** In long ranges readings are an hour apart; a report between two readings belongs to their rise. */
const apart = 3_600_000

/**
 * Everything that an autofill did, newest first: fills seen in the pressure, with reported start and end and the
 * increase of the water counter; reported fills without a visible rise; and lockouts with the attempt that caused each.
 * Readings ascend.
 */
export function fillRows(measured: {
  pressure: Readings
  water: Readings
  topUps: readonly TopUp[]
  lockouts: readonly Lockout[]
}): FillRow[] {
  const left = new Set(measured.topUps)
  const take = (is: (one: TopUp) => boolean) => {
    const found = [...left].find(is)
    if (found) left.delete(found)
    return found
  }
  const lastedOf = (one: TopUp | undefined) => (one && one.end !== null ? one.end - one.start : null)
  // With hourly readings the increase lies between the readings before and after; a zero increase means that it was not
  // counted.
  const litresOf = (from: number, to: number) =>
    litresBetween(measured.water, from, to) || litresBetween(measured.water, from - apart, to + apart) || null
  const atLockout = measured.lockouts.map((lockout): FillRow => {
    const attempt = take(({ end }) => end !== null && Math.abs(end - lockout.start) < 60_000)
    return {
      start: attempt?.start ?? lockout.start,
      lasted: lastedOf(attempt),
      litres: attempt ? litresOf(attempt.start, lockout.start) : null,
      before: lockout.before,
      after: null,
      lockout,
    }
  })
  const atRise = fillsIn(measured.pressure).map(({ start, end, before, after }): FillRow => {
    const own = take((one) => one.start <= end + apart && (one.end ?? one.start) >= start - apart)
    return {
      start: own?.start ?? start,
      lasted: lastedOf(own),
      litres: litresOf(Math.min(start, own?.start ?? start), Math.max(end, own?.end ?? end)),
      before,
      after,
      lockout: null,
    }
  })
  const unseen = [...left].map((one): FillRow => ({
    start: one.start,
    lasted: lastedOf(one),
    litres: litresOf(one.start, one.end ?? one.start),
    before: null,
    after: null,
    lockout: null,
  }))
  return [...atLockout, ...atRise, ...unseen].toSorted((a, b) => b.start - a.start)
}

/** Fewest fills for a statement about the intervals between them. */
const fewestFills = 6

/**
 * The mean days between fills before and since, if fills have become at least twice as frequent: water is escaping
 * somewhere. `since` is the start of the later half, in ms.
 */
export function closerTogether(starts: readonly number[]): { before: number; now: number; since: number } | undefined {
  if (starts.length < fewestFills) return undefined
  const times = starts.toSorted((a, b) => a - b)
  const gaps = times.slice(1).map((at, index) => at - times[index]!)
  const half = gaps.length >> 1
  const mean = (some: number[]) => some.reduce((sum, one) => sum + one, 0) / some.length / 86_400_000
  const [before, now] = [mean(gaps.slice(0, half)), mean(gaps.slice(half))]
  return now <= before / 2 ? { before, now, since: times[half]! } : undefined
}

/** The lockouts of an autofill with the pressures at that time. Readings ascend. */
export function lockoutsIn(
  faults: readonly { timestamp: string; endedAt: string | null }[],
  readings: readonly { date: number; value: number | null }[],
): Lockout[] {
  return faults.map(({ timestamp, endedAt }) => {
    const start = Date.parse(timestamp)
    const last = readings.findLast(({ date, value }) => date <= start && value !== null)
    return { start, end: endedAt === null ? null : Date.parse(endedAt), before: last?.value ?? null }
  })
}
