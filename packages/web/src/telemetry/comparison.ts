import { figure } from '../ui/chart/readings.ts'

const day = 86_400_000

/** How a figure compares with that of the time before, of the same length in milliseconds. */
export function comparison(value: number, before: number | null, unit: string, length: number): string {
  const days = Math.max(1, Math.round(length / day))
  const period = days === 1 ? 'the day before' : days === 7 ? 'the week before' : `the ${days} days before`
  if (before === null) return `Too little is known of ${period}`
  const text = figure(Math.abs(value - before))
  if (text === '0') return `As in ${period}`
  return `${text}${unit === 'count' ? '' : `\u00A0${unit}`} ${value < before ? 'less' : 'more'} than ${period}`
}
