import type { MetricKey } from './metrics.ts'
import { metrics } from './metrics.ts'
import type { BadMessageReason } from '../devices/messages.ts'

/** The most by which a counter can rise. */
export interface CounterLimit {
  /** In an hour, in the unit of the metric. */
  perHour: number
  /** Beyond that at any time: what is counted in whole numbers rises at once, and clocks differ. */
  slack: number
}

/** A reading of a counter. */
export interface Count {
  /** ms since the epoch */
  at: number
  value: number
}

export interface SetAside extends Count {
  reason: Extract<BadMessageReason, 'counter glitch' | 'impossible rise'>
}

export interface JudgedCounts {
  /** What is to be stored, in order of time. */
  stored: Count[]
  setAside: SetAside[]
  /** Readings that depart from the counter and wait for the next ones: they are handed in again with these. */
  held: Count[]
}

/** So many readings that depart from a counter may come to nothing; one more shows that it began again. */
const mostHeld = 2
const hour = 3_600_000

/** The limit of a metric that counts up for ever; undefined of all others. */
export function counterLimit(metric: string): CounterLimit | undefined {
  return Object.hasOwn(metrics, metric)
    ? (metrics[metric as MetricKey] as { counter?: CounterLimit }).counter
    : undefined
}

/** Whether a counter can have gone on from one reading to another. */
export function follows(limit: CounterLimit, before: Count, after: Count): boolean {
  const most = limit.perHour * Math.max(0, (after.at - before.at) / hour) + limit.slack
  return after.value >= before.value && after.value - before.value <= most
}

/**
 * Judges readings that are newer than the last that is stored. One that falls is held until the next ones come: where the counter comes
 * back within two readings the fall was a glitch, otherwise the counter began again and all are stored. One that rises by more than it can in
 * the time is set aside at once; where the two after it go on from there, the counter stands there now, and the third is stored. Those that were held before are judged
 * again with the new ones, and not set aside a second time.
 * @param fresh in order of time, all newer than `last`
 */
export function judgeCounts(
  limit: CounterLimit,
  known: { last: Count | undefined; held: readonly Count[] },
  fresh: readonly Count[],
): JudgedCounts {
  const stored: Count[] = []
  const setAside: SetAside[] = []
  let { last } = known
  let held: Count[] = []
  const hasFallen = (count: Count) => last !== undefined && count.value < last.value
  const dropHeld = () => {
    setAside.push(...held.filter(hasFallen).map((count) => ({ ...count, reason: 'counter glitch' as const })))
    held = []
  }
  // A device may send its newest reading before those that it had buffered: all are judged in order of time.
  for (const count of [...known.held, ...fresh].toSorted((a, b) => a.at - b.at)) {
    if (last?.at === count.at || held.some(({ at }) => at === count.at)) continue
    if (!last || follows(limit, last, count)) {
      dropHeld()
      stored.push(count)
      last = count
      continue
    }
    const before = held.at(-1)
    if (before && !follows(limit, before, count)) dropHeld()
    if (held.length < mostHeld) {
      held.push(count)
      if (!hasFallen(count) && !known.held.includes(count)) setAside.push({ ...count, reason: 'impossible rise' })
      continue
    }
    stored.push(...held.filter(hasFallen), count)
    held = []
    last = count
  }
  return { stored, setAside, held }
}

/** A reading that came late, between others that are stored. */
export interface LateCount {
  count: Count
  /** The nearest stored ones before and after it; undefined where there is none. */
  before: Count | undefined
  after: Count | undefined
  /** Whether it was set aside before, and waits for others that show that it was right. */
  wasHeld?: boolean
}

/** So many late readings that were set aside wait for others at most: a device that buffers sends them within days. */
const mostLateHeld = 20

/**
 * Judges readings that came late, each by the stored ones before and after it, so that it makes no difference whether a device sends what it
 * had buffered at once, or one by one from either end. One that falls below the reading before it is stored where the counter is known to
 * have begun again there, since it goes on to the reading after it, or where the late ones after it go on from there. Otherwise it is set aside
 * as a glitch, and waits: with later ones it may still show that the counter began again.
 */
export function judgeLateCounts(limit: CounterLimit, batch: readonly LateCount[]): JudgedCounts {
  const stored: Count[] = []
  const setAside: SetAside[] = []
  const held: Count[] = []
  // Of two for one instant the first stays.
  const inOrder = batch.toSorted((a, b) => a.count.at - b.count.at)
  const late = inOrder.filter(({ count }, place) => count.at !== inOrder[place - 1]?.count.at)
  for (let at = 0; at < late.length; at++) {
    const { count, before: found, after, wasHeld = false } = late[at]!
    const ofBatch = stored.at(-1)
    const before = ofBatch && (!found || ofBatch.at >= found.at) ? ofBatch : found
    const goesOn = !before || follows(limit, before, count)
    if (goesOn || (after && !follows(limit, before, after) && follows(limit, count, after))) {
      stored.push(count)
      continue
    }
    if (count.value > before.value) {
      setAside.push({ ...count, reason: 'impossible rise' })
      continue
    }
    const run = runFrom(limit, late.slice(at), before.value)
    if (hasBegunAgain(run)) {
      stored.push(...run)
      at += run.length - 1
      continue
    }
    if (!wasHeld) setAside.push({ ...count, reason: 'counter glitch' })
    held.push(count)
  }
  return { stored, setAside, held: held.slice(-mostLateHeld) }
}

/** Late readings from the first on that go on from one another and stay below a value. */
function runFrom(limit: CounterLimit, late: readonly LateCount[], below: number): Count[] {
  const run: Count[] = []
  for (const { count, before } of late) {
    const previous = run.at(-1)
    // A stored reading between two late ones ends the run.
    if (previous && before && before.at > previous.at) break
    if (count.value >= below || (previous && !follows(limit, previous, count))) break
    run.push(count)
  }
  return run
}

/** Two readings that rise, or more than a glitch has. */
const hasBegunAgain = (run: readonly Count[]) => run.length > mostHeld || run.at(-1)!.value > run[0]!.value

/** Lowest and highest reading of a counter in a day. */
export interface DayOfCounts {
  /** When the day begins, in ms. */
  day: number
  low: number
  high: number
}

/**
 * By how much a counter grew over some days, in their order. A day in which it rose by more than it can is one in which it began again:
 * it counts nothing, and neither does a fall between two days.
 */
export function grownOver(limit: CounterLimit, days: readonly DayOfCounts[]): number {
  let grown = 0
  let before: Count | undefined
  for (const { day, low, high } of days) {
    const [first, last] = [
      { at: day, value: low },
      { at: day + 24 * hour, value: high },
    ]
    // What was read last on the day before may have been read at its beginning.
    if (before && follows(limit, { ...before, at: before.at - 24 * hour }, { ...first, at: day + 24 * hour }))
      grown += low - before.value
    if (follows(limit, first, last)) grown += high - low
    before = last
  }
  return grown
}
