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
 * the time is set aside at once; where the two after it go on from there, the counter stands there now, and the third is stored.
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
  let held = [...known.held]
  const hasFallen = (count: Count) => last !== undefined && count.value < last.value
  const dropHeld = () => {
    setAside.push(...held.filter(hasFallen).map((count) => ({ ...count, reason: 'counter glitch' as const })))
    held = []
  }
  for (const count of fresh) {
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
      if (!hasFallen(count)) setAside.push({ ...count, reason: 'impossible rise' })
      continue
    }
    stored.push(...held.filter(hasFallen), count)
    held = []
    last = count
  }
  return { stored, setAside, held }
}

/**
 * Judges a reading that came late, between others that are stored.
 * @param before the nearest stored one before it, undefined where there is none
 * @param last the newest stored one
 */
export function judgeLateCount(
  limit: CounterLimit,
  { before, last }: { before: Count | undefined; last: Count },
  count: Count,
): SetAside['reason'] | undefined {
  if (before && count.value < before.value && last.value >= before.value) return 'counter glitch'
  if (before && count.value > before.value && !follows(limit, before, count)) return 'impossible rise'
  return undefined
}

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
