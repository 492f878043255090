import type { TimeRange } from './ranges.ts'
import type { ChartPoint } from './thin.ts'

const hour = 3_600_000

/** An hour of a power: when it began in ms, how many readings it has and their mean, in kW. */
export interface PowerHour {
  hour: number
  readings: number
  mean: number
}

/** Both sides of a heat pump: the heat that it gives and the electricity that it takes. What an immersion heater does is neither. */
interface Sides<T> {
  heat: readonly T[]
  electricity: readonly T[]
}

/**
 * The share of the more often read side's readings that the other one has in an hour at least, so that both means are of the same
 * minutes. Ours: one reading in ten may be lost.
 */
const leastShare = 0.9

/**
 * The heat that a heat pump gave for each kWh of electricity over the whole hours of a range (EN 14825 calls it the seasonal coefficient
 * of performance where the range is a year). A ratio of sums that leave out different times is no ratio: where an hour lacks on either side, or
 * was read less often on one, it says 'gaps'. Null where one side was never read, or nothing was taken.
 */
export function performanceOver({ heat, electricity }: Sides<PowerHour>, { from, to }: TimeRange) {
  const first = Math.ceil(from / hour) * hour
  const isWithin = (one: PowerHour) => one.hour >= first && one.hour + hour <= to
  const given = new Map(heat.filter(isWithin).map((one) => [one.hour, one]))
  const taken = electricity.filter(isWithin)
  if (!given.size || !taken.length) return null
  const hours = Math.floor((to - first) / hour)
  const pairs = taken.flatMap((one) => {
    const other = given.get(one.hour)
    return other && isAsOften(one.readings, other.readings) ? { taken: one.mean, given: other.mean } : []
  })
  if (pairs.length < hours) return 'gaps'
  const [all, used] = [sumOf(pairs.map((pair) => pair.given)), sumOf(pairs.map((pair) => pair.taken))]
  return used > 0 ? all / used : null
}

const isAsOften = (one: number, other: number) => Math.min(one, other) >= leastShare * Math.max(one, other)
const sumOf = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0)

/** Readings of both sides within so many ms of each other are of one moment: a device may tell them in two messages. Ours. */
const oneMoment = 60_000

export const areOfOneMoment = (one: number, other: number) => Math.abs(one - other) <= oneMoment

/**
 * The same from moment to moment, of readings in the order of their time: each of electricity with the reading of heat that is nearest to it.
 * While it gives no heat, or one side lacks, the line is broken.
 */
export function performanceAt({ heat, electricity }: Sides<ChartPoint>): ChartPoint[] {
  let at = 0
  const distance = (one: number, date: number) => Math.abs(heat[one]!.date - date)
  return electricity.map(({ date, value: taken }) => {
    while (at + 1 < heat.length && distance(at + 1, date) < distance(at, date)) at++
    const near = heat[at]
    const given = near && areOfOneMoment(near.date, date) ? near.value : null
    return { date, value: given !== null && given > 0 && taken !== null && taken > 0 ? given / taken : null }
  })
}
