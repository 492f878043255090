import type { MetricKey } from './metrics.ts'
import { metrics } from './metrics.ts'
import type { BadMessageReason } from '../devices/messages.ts'

/** The largest possible increase of a counter. */
export interface CounterLimit {
  /** Per hour, in the unit of the metric. */
  perHour: number
  /** Additional tolerance at any time: whole numbers rise in steps, and clocks differ. */
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
  /** Readings to store, in order of time. */
  stored: Count[]
  setAside: SetAside[]
  /** Outlying readings to judge again together with the next ones. */
  held: Count[]
}

/** This many outlying readings may be a glitch; one more shows that the counter restarted. */
const mostHeld = 2
const hour = 3_600_000

/** The limit of a metric that counts up; undefined for others. */
export function counterLimit(metric: string): CounterLimit | undefined {
  return Object.hasOwn(metrics, metric)
    ? (metrics[metric as MetricKey] as { counter?: CounterLimit }).counter
    : undefined
}

/** Whether a counter can have advanced from one reading to another. */
export function follows(limit: CounterLimit, before: Count, after: Count): boolean {
  const most = limit.perHour * Math.max(0, (after.at - before.at) / hour) + limit.slack
  return after.value >= before.value && after.value - before.value <= most
}

/**
 * Judges readings newer than the last stored one. A lower reading is held until the next ones arrive: if the counter
 * returns within two readings it was a glitch, otherwise the counter restarted and all are stored. A reading that rises
 * faster than possible is set aside at once; if the two after it continue from there, the counter is at that level, and
 * the third is stored. Held readings are judged again with new ones, and not set aside twice.
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
  // A device may send its newest reading before buffered ones, so all are judged in order of time.
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

/** A late reading between stored ones. */
export interface LateCount {
  count: Count
  /** The nearest stored readings before and after it; undefined if there is none. */
  before: Count | undefined
  after: Count | undefined
  /** Whether it was set aside before and waits for others to confirm it. */
  wasHeld?: boolean
}

/** Maximum late readings set aside and waiting: a device that buffers sends them within days. */
const mostLateHeld = 20

/**
 * Judges late readings, each against the stored ones before and after it, so that the order in which a device sends its
 * buffer makes no difference. A reading below its predecessor is stored if the counter is known to have restarted
 * there, that is, if its successor or the late readings after it continue from it. Otherwise it is set aside as a
 * glitch, until later readings show that the counter restarted.
 */
export function judgeLateCounts(limit: CounterLimit, batch: readonly LateCount[]): JudgedCounts {
  const stored: Count[] = []
  const setAside: SetAside[] = []
  const held: Count[] = []
  // Of two readings for one instant, the first is kept.
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

/** The late readings from the first one that continue from one another and stay below a value. */
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

/** Two rising readings, or more than a glitch can have. */
const hasBegunAgain = (run: readonly Count[]) => run.length > mostHeld || run.at(-1)!.value > run[0]!.value

/** Lowest and highest reading of a counter in a day. */
export interface DayOfCounts {
  /** Start of the day, in ms. */
  day: number
  low: number
  high: number
}

/**
 * The increase of a counter over days in order. A day with an impossible rise, in which the counter restarted, adds
 * nothing, and neither does a fall between two days.
 */
export function grownOver(limit: CounterLimit, days: readonly DayOfCounts[]): number {
  let grown = 0
  let before: Count | undefined
  for (const { day, low, high } of days) {
    const [first, last] = [
      { at: day, value: low },
      { at: day + 24 * hour, value: high },
    ]
    // The last reading of the previous day may be from its beginning.
    if (before && follows(limit, { ...before, at: before.at - 24 * hour }, { ...first, at: day + 24 * hour }))
      grown += low - before.value
    if (follows(limit, first, last)) grown += high - low
    before = last
  }
  return grown
}
