import { figure } from '../ui/chart/readings.ts'

const day = 86_400_000

/** A figure compared with the previous period of the same length, in milliseconds. */
export function comparison(value: number, before: number | null, unit: string, length: number): string {
  const days = Math.max(1, Math.round(length / day))
  const period = days === 1 ? 'the day before' : days === 7 ? 'the week before' : `the ${days} days before`
  if (before === null) return `Not enough data for ${period}`
  const text = figure(Math.abs(value - before))
  if (text === '0') return `Same as ${period}`
  return `${text}${unit === 'count' ? '' : `\u00A0${unit}`} ${value < before ? 'less' : 'more'} than ${period}`
}

/** The number of days in a mean, and of possible days if some are missing; undefined for other figures. */
export function meanWords(days: { read: number; of: number } | undefined): string | undefined {
  if (!days) return undefined
  const read = days.read < days.of ? `${days.read} of ${days.of}` : `${days.read}`
  return `Mean of ${read} ${days.of === 1 ? 'day' : 'days'}`
}
