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

/**
 * The same from moment to moment: of readings that were told of one moment. While it gives no heat, or one side lacks, the line is broken.
 */
export function performanceAt({ heat, electricity }: Sides<ChartPoint>): ChartPoint[] {
  const given = new Map(heat.map(({ date, value }) => [date, value]))
  return electricity.map(({ date, value: taken }) => {
    const heatThen = given.get(date)
    return { date, value: heatThen != null && heatThen > 0 && taken !== null && taken > 0 ? heatThen / taken : null }
  })
}
