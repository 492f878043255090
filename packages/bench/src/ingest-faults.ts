import { systemFigures } from '@caretaker/rules/system/figures.ts'
import { rounded } from './figures.ts'

/** One minute of a run, or a part of a short run, with the highest values seen in it; memory is measured at its end. */
export interface Interval {
  messagesPerSecond: number
  p95: number
  p99: number
  /** How long the oldest message waited to be stored, in seconds, and the number of waiting messages. */
  unacknowledged: number
  waiting: number
  /** Seconds until a committed change appeared in the feed. */
  feedLag: number
  /** MB, with shared pages divided among the processes that share them. */
  memory: { server: number; database: number | null }
}

/** With fewer intervals there is no trend. */
export const fewestForTrend = 6

/** The figures that exceed their alert limit, and those that get worse between the first and last third of a run. */
export function faultsOf(intervals: readonly Interval[]): string[] {
  const faults: string[] = []
  const bounds = { unacknowledged: systemFigures.unacknowledged.most, feedLag: systemFigures.feedLag.most }
  for (const [name, bound] of Object.entries(bounds) as [keyof typeof bounds, number][]) {
    const highest = Math.max(...intervals.map((interval) => interval[name]))
    if (highest > bound) faults.push(`${name} ${highest} s (at most ${bound})`)
  }
  if (intervals.length < fewestForTrend) return faults
  const third = Math.floor(intervals.length / 3)
  // Caches still fill during the first interval.
  const [early, late] = [intervals.slice(1, 1 + third), intervals.slice(-third)]
  const mean = (of: (interval: Interval) => number, some: readonly Interval[]) =>
    some.reduce((sum, interval) => sum + of(interval), 0) / some.length
  /** Allows growth by a share of the early mean plus `more`. */
  const checkGrowth = (
    name: string,
    of: (interval: Interval) => number,
    { share, more }: { share: number; more: number },
  ) => {
    const [before, after] = [mean(of, early), mean(of, late)]
    if (after > before * (1 + share) + more)
      faults.push(`${name} grows from ${rounded(before, 2)} to ${rounded(after, 2)}`)
  }
  checkGrowth('the time to an acknowledgement (p95, ms)', ({ p95 }) => p95, { share: 0.5, more: 20 })
  checkGrowth('the wait of the oldest message (s)', ({ unacknowledged }) => unacknowledged, { share: 0.5, more: 1 })
  checkGrowth('the number of waiting messages', ({ waiting }) => waiting, { share: 0.5, more: 500 })
  checkGrowth('the lag of the feed (s)', ({ feedLag }) => feedLag, { share: 0.5, more: 1 })
  checkGrowth("the server's memory (MB)", ({ memory }) => memory.server, { share: 0.1, more: 15 })
  // The database cache fills up to a fixed size.
  checkGrowth("the database's memory (MB)", ({ memory }) => memory.database ?? 0, { share: 0.15, more: 100 })
  const rate = ({ messagesPerSecond }: Interval) => messagesPerSecond
  const [before, after] = [mean(rate, early), mean(rate, late)]
  if (after < before * 0.8) faults.push(`the rate falls from ${Math.round(before)} to ${Math.round(after)} a second`)
  return faults
}

/** Values that the broker acknowledged to devices, and values in the database. */
export interface Acknowledged {
  sent: number
  acknowledged: number
  /** Values in the acknowledged readings. */
  values: number
  stored: { points: number; inRollUps: number }
}

/**
 * Checks that every message is acknowledged, and that every acknowledged value is stored exactly once, as a point and in its hour.
 */
export function lossesOf({ sent, acknowledged, values, stored }: Acknowledged): string[] {
  return [
    ...(acknowledged === sent ? [] : [`${sent - acknowledged} of ${sent} messages were not acknowledged`]),
    ...(stored.points === values ? [] : [`${values} values acknowledged, ${stored.points} stored`]),
    ...(stored.inRollUps === values ? [] : [`${values} values acknowledged, ${stored.inRollUps} in the roll-ups`]),
  ]
}
