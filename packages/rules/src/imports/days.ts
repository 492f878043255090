import type { Day } from '../calendar/days.ts'
import type { SheetCell } from './cells.ts'

const monthNames = [
  'January',
  'February',
  'March',
  'April',
  'May',
  'June',
  'July',
  'August',
  'September',
  'October',
  'November',
  'December',
] as const

const notADate = { message: 'Not a date' }

/** How days in figures are written: the day first, as here, or the month first, as in America. */
export const dayOrders = ['Day first', 'Month first'] as const
export type DayOrder = (typeof dayOrders)[number]
/** What is asked of a column in which nothing but the month can stand first, as if it were one of its words. */
export const dayOrderWord = 'dates like 12/31/2026'

const inFigures = /^(\d{1,2})([/. -])(\d{1,2})\2(?:\d{4}|\d{2})(?: |$)/

/** What a cell tells of the order of its column: the one of 31/12 or 12/31, or nothing more than that it is in figures. */
export function orderToldBy({ kind, text }: SheetCell): DayOrder | 'either' | undefined {
  const [, first, , second] = (kind === 'text' && inFigures.exec(text.trim())) || []
  if (first === undefined) return undefined
  if (Number(first) > 12) return 'Day first'
  return Number(second) > 12 ? 'Month first' : 'either'
}

/**
 * A day as people write them: day, month, year, or year first. A year of two digits is the latest that has begun, which the note
 * says. A day that no calendar has is never moved to another.
 */
export function dayIn(
  cell: SheetCell,
  today: Day,
  order: DayOrder = 'Day first',
): { day: Day; note?: string } | { message: string } {
  if (cell.kind === 'day') return { day: cell.text }
  if (cell.kind !== 'text') return notADate
  const text = cell.text.trim()
  const iso = /^(\d{4})-(\d{1,2})-(\d{1,2})(?:[T ]\d{2}:\d{2}(?::\d{2})?)?$/.exec(text)
  if (iso) return calendarDay(text, Number(iso[1]), Number(iso[2]), Number(iso[3]))
  const written = /^(\d{1,2})([/. -])(\d{1,2}|[A-Za-z]{3,9})\2(\d{4}|\d{2})(?: \d{2}:\d{2}(?::\d{2})?)?$/.exec(text)
  if (!written) return notADate
  const [, first = '', , second = '', year = ''] = written
  const [date, month] = order === 'Month first' && /^\d/.test(second) ? [second, first] : [first, second]
  const monthNumber = /^\d/.test(month) ? Number(month) : monthCalled(month)
  if (monthNumber === undefined) return notADate
  if (year.length === 4) return calendarDay(text, Number(year), monthNumber, Number(date))
  const this20 = calendarDay(text, 2000 + Number(year), monthNumber, Number(date))
  // What no calendar of this century has is none of the last one either, and is told of the year that was meant.
  if ('message' in this20 && 2000 + Number(year) <= Number(today.slice(0, 4))) return this20
  const read =
    'day' in this20 && this20.day <= today ? this20 : calendarDay(text, 1900 + Number(year), monthNumber, Number(date))
  return 'day' in read ? { ...read, note: `Read as ${read.day.split('-').reverse().join('/')}` } : read
}

/** The number of a month by its name or the first three letters of it. */
export function monthCalled(name: string): number | undefined {
  const at = monthNames.findIndex(
    (month) => month.toLowerCase() === name.toLowerCase() || month.slice(0, 3).toLowerCase() === name.toLowerCase(),
  )
  return at < 0 ? undefined : at + 1
}

function calendarDay(text: string, year: number, month: number, date: number): { day: Day } | { message: string } {
  const name = monthNames[month - 1]
  if (!name) return { message: `${text} is not a day: there is no month ${month}` }
  const days = new Date(Date.UTC(year, month, 0)).getUTCDate()
  if (date < 1 || date > days)
    return { message: `${text} is not a day: ${month === 2 ? `${name} ${year}` : name} has ${days} days` }
  if (year < 1900) return notADate
  return { day: new Date(Date.UTC(year, month - 1, date)).toISOString().slice(0, 10) }
}
