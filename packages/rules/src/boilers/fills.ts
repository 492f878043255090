/** A time at which an autofill let water into a heating system; times in ms since the epoch, pressures in bar. */
export interface Fill {
  start: number
  end: number
  before: number
  after: number
}

/** A rise of the pressure that warmth alone does not bring, in bar. */
const leastRise = 0.25
/** What a pressure goes up and down while nothing is filled, in bar. */
const noise = 0.1

/** The fills that the pressure of a system tells of, the newest first. Readings ascend; a null value is a gap. */
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

/** How many fills began within the last so many days before `now`. */
export function fillsWithin(fills: readonly Pick<Fill, 'start'>[], days: number, now: number): number {
  return fills.filter(({ start }) => now - start <= days * 86_400_000).length
}

/** Pressures between which an autofill keeps a system, in bar. */
export interface KeptBand {
  low: number
  high: number
}

/**
 * Between which pressures an autofill keeps a system, as its fills tell: no autofill reports its settings. The middle one of
 * several counts, so that one that filled too late or not enough does not; a single fill tells nothing.
 */
export function keptBand(fills: readonly Pick<Fill, 'before' | 'after'>[]): KeptBand | undefined {
  if (fills.length < 2) return undefined
  const middle = (values: number[]) => Math.round(values.toSorted((a, b) => a - b)[values.length >> 1]! * 10) / 10
  const [low, high] = [middle(fills.map(({ before }) => before)), middle(fills.map(({ after }) => after))]
  return low < high ? { low, high } : undefined
}

/** When an autofill locked itself out, and whether it still is; in ms. */
export interface Lockout {
  start: number
  end: number | null
  /** The pressure when it did, in bar; null where none was read. */
  before: number | null
}

/** The category of the events by which an autofill tells that it let water in, from when until when. */
export const topUp = 'Top up'

/** What an autofill told of a time at which it let water in, in ms. */
export interface TopUp {
  start: number
  end: number | null
}

/** What an autofill did at a time: it filled, or gave up. Times in ms, pressures in bar; null is what nobody knows. */
export interface FillRow {
  start: number
  /** ms; null where it did not tell when it began and ended. */
  lasted: number | null
  /** Litres that it let in. */
  litres: number | null
  before: number | null
  after: number | null
  lockout: Lockout | null
}

type Readings = readonly { date: number; value: number | null }[]

/** Litres that a counter grew by from a time to another; null where it was not read on both sides, or began anew. */
export function litresBetween(counter: Readings, from: number, to: number): number | null {
  const before = counter.findLast(({ date, value }) => date <= from && value !== null)?.value
  const after = counter.find(({ date, value }) => date >= to && value !== null)?.value
  return before == null || after == null || after < before ? null : Math.round((after - before) * 100) / 100
}

/** Readings of long ranges lie an hour apart, and what it told between two of them belongs to their rise. */
const apart = 3_600_000

/**
 * All that an autofill did, the newest first: the fills that its pressure shows, with when it told that each began and ended and how far its
 * counter of water grew; what it told of without a rise to be seen; and its lockouts, with the attempt that ended in each. Readings ascend.
 */
export function fillRows(told: {
  pressure: Readings
  water: Readings
  topUps: readonly TopUp[]
  lockouts: readonly Lockout[]
}): FillRow[] {
  const left = new Set(told.topUps)
  const take = (is: (one: TopUp) => boolean) => {
    const found = [...left].find(is)
    if (found) left.delete(found)
    return found
  }
  const lastedOf = (one: TopUp | undefined) => (one && one.end !== null ? one.end - one.start : null)
  // Where the readings of an hour are one, its growth lies between those before and after it; what let in nothing was not counted.
  const litresOf = (from: number, to: number) =>
    litresBetween(told.water, from, to) || litresBetween(told.water, from - apart, to + apart) || null
  const atLockout = told.lockouts.map((lockout): FillRow => {
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
  const atRise = fillsIn(told.pressure).map(({ start, end, before, after }): FillRow => {
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

/** Fills between which it is told how far they are apart: of fewer nothing is said. */
const leastTold = 6

/**
 * How many days lay between fills before and since, where they have come at least twice as often of late: water is going somewhere. `since`
 * is when the later half began, in ms.
 */
export function closerTogether(starts: readonly number[]): { before: number; now: number; since: number } | undefined {
  if (starts.length < leastTold) return undefined
  const times = starts.toSorted((a, b) => a - b)
  const gaps = times.slice(1).map((at, index) => at - times[index]!)
  const half = gaps.length >> 1
  const mean = (some: number[]) => some.reduce((sum, one) => sum + one, 0) / some.length / 86_400_000
  const [before, now] = [mean(gaps.slice(0, half)), mean(gaps.slice(half))]
  return now <= before / 2 ? { before, now, since: times[half]! } : undefined
}

/** The lockouts of an autofill with the pressures at which it gave up. Readings ascend. */
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
