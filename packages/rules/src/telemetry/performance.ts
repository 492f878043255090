import type { TimeRange } from './ranges.ts'
import type { ChartPoint } from './thin.ts'

const hour = 3_600_000

/** One hour of a power: start in ms, number of readings, and mean in kW. */
export interface PowerHour {
  hour: number
  readings: number
  mean: number
}

/** Both sides of a heat pump: heat output and electricity consumption. Immersion heaters belong to neither. */
interface Sides<T> {
  heat: readonly T[]
  electricity: readonly T[]
}

/**
 * Minimum share of readings that the less frequent side must have in an hour, so that both means cover the same
 * minutes. Our own value: one reading in ten may be lost.
 */
const leastShare = 0.9

/**
 * The heat per kWh of electricity over the whole hours of a range (over a year, the seasonal coefficient of performance
 * of EN 14825). Sums over different times have no valid ratio: if an hour is missing or incomplete on one side, the
 * result is 'gaps'. Null if one side was never measured, or no electricity was used.
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
 * Readings of both sides within this many ms belong to one moment: a device may send them in two messages. Our own
 * value.
 */
const oneMoment = 60_000

export const areOfOneMoment = (one: number, other: number) => Math.abs(one - other) <= oneMoment

/**
 * The same over time, from readings in order: each electricity reading with the nearest heat reading. The line is
 * interrupted while there is no heat or one side is missing.
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
