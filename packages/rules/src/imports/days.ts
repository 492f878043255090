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

/**
 * A day as people write them: day, month, year, or year first. A year of two digits is the latest that has begun, which the note
 * says. A day that no calendar has is never moved to another.
 */
export function dayIn(cell: SheetCell, today: Day): { day: Day; note?: string } | { message: string } {
  if (cell.kind === 'day') return { day: cell.text }
  if (cell.kind !== 'text') return notADate
  const text = cell.text.trim()
  const iso = /^(\d{4})-(\d{1,2})-(\d{1,2})(?:[T ]\d{2}:\d{2}(?::\d{2})?)?$/.exec(text)
  if (iso) return calendarDay(text, Number(iso[1]), Number(iso[2]), Number(iso[3]))
  const written = /^(\d{1,2})([/. -])(\d{1,2}|[A-Za-z]{3,9})\2(\d{4}|\d{2})(?: \d{2}:\d{2}(?::\d{2})?)?$/.exec(text)
  if (!written) return notADate
  const [, date = '', , month = '', year = ''] = written
  const monthNumber = /^\d/.test(month) ? Number(month) : monthCalled(month)
  if (monthNumber === undefined) return notADate
  if (year.length === 4) return calendarDay(text, Number(year), monthNumber, Number(date))
  const this20 = calendarDay(text, 2000 + Number(year), monthNumber, Number(date))
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
