import type { Day } from '../calendar/days.ts'
import { dayAt, dayText, localTime } from '../calendar/days.ts'
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
const weekdays = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'] as const

const notADate = { message: 'Not a date' }

/** Orders of numeric dates: day first (British) or month first (American). */
export const dayOrders = ['Day first', 'Month first'] as const
export type DayOrder = (typeof dayOrders)[number]
/** The question about a column with month-first dates, presented like one of its words. */
export const dayOrderWord = 'dates like 12/31/2026'

const inFigures = /^(\d{1,2}) ?([/. -]) ?(\d{1,2}) ?\2 ?'?(\d{4}|\d{2})(?=$|[T, ])/

/** The date order that a cell shows: unambiguous for 31/12 or 12/31, otherwise 'either' for a numeric date. */
export function dayOrderIn({ kind, text }: SheetCell): DayOrder | 'either' | undefined {
  const [, first, , second] = (kind === 'text' && inFigures.exec(plainSigns(text))) || []
  if (first === undefined) return undefined
  if (Number(first) > 12) return 'Day first'
  return Number(second) > 12 ? 'Month first' : 'either'
}

/** Normalises blanks and dashes and removes invisible characters. */
const plainSigns = (text: string) =>
  text
    .replaceAll(/\p{Cf}/gu, '')
    .replaceAll(/[\u2010-\u2015\u2212]/g, '-')
    .replaceAll(/\s+/g, ' ')
    .trim()

interface Reading {
  today: Day
  order?: DayOrder
  /** The zone in which a UTC midnight is interpreted. */
  zone: string
}

/** A date without its time; `offset` in minutes, if given. */
interface Written {
  date: string
  weekday?: string
  minutes: number
  offset?: number
}

/**
 * Parses a date as people and software write it: day, month, year or year first, with or without a time. A two-digit
 * year is the latest one that has begun, which the returned note shows. Impossible dates are rejected, never moved.
 */
export function dayIn(
  cell: SheetCell,
  { today, order = 'Day first', zone }: Reading,
): { day: Day; note?: string } | { message: string } {
  if (cell.kind === 'day') return { day: cell.text }
  if (cell.kind === 'number') return { message: numberMessage(cell.text) }
  if (cell.kind !== 'text') return notADate
  const text = cell.text.trim()
  if (/^\d+(\.\d+)?$/.test(text)) return { message: numberMessage(text) }
  const written = partsOf(plainSigns(text))
  const read = written && dateIn(written.date, text, today, order)
  if (!read) return notADate
  if ('message' in read) return read
  const weekday = weekdays[new Date(read.day).getUTCDay()]!
  if (written.weekday && !weekday.toLowerCase().startsWith(written.weekday))
    return { message: `${text} is not a day: ${dayText(read.day)} is a ${weekday}` }
  const day = midnightIn(read.day, written, zone)
  return day === read.day ? read : { day, note: `Read as ${dayText(day)}` }
}

/** The possible meanings of a plain number as a date, which has to be clarified. */
function numberMessage(text: string): string {
  const number = Number(text)
  const named = (day: string) => `${text} is a number and not a date. If it means ${day}, write that day`
  // Days since the end of 1899, from 1954 to 2119.
  if (/^\d{5}(\.\d+)?$/.test(text) && number >= 20_000 && number < 80_000)
    return named(dayText(new Date((Math.floor(number) - 25_569) * 86_400_000).toISOString().slice(0, 10)))
  const [, year, month, date] = /^((?:19|20)\d\d)(\d\d)(\d\d)$/.exec(text) ?? []
  const digits = year && calendarDay(text, Number(year), Number(month), Number(date))
  if (digits && 'day' in digits) return named(dayText(digits.day))
  if (/^\d{6}$|^\d{8}$/.test(text)) return `${text} is a number and not a date. Write the day as 03/11/2025`
  // Seconds or milliseconds since 1970.
  if (/^\d{10}$|^\d{13}$/.test(text))
    return named(dayText(new Date(text.length === 10 ? number * 1000 : number).toISOString().slice(0, 10)))
  return notADate.message
}

const zones: Readonly<Record<string, number>> = { z: 0, utc: 0, gmt: 0, bst: 60 }
const clock =
  /(?:^|[T, ] ?)(\d{1,2}):(\d{2})(?::(\d{2})(?:[.,]\d+)?)?(?: ?([ap])\.?m\.?)?(?: ?(z|utc|gmt|bst))?(?: ?([+-])(\d{2}):?(\d{2})?)?(?: utc)?(?= \d{4}$|$)/i
const weekdayAhead = new RegExp(
  `^(${weekdays.flatMap((name) => [name, name.slice(0, 3)]).join('|')}|Tues|Weds|Thurs?)\\.?,? `,
  'i',
)

/** Removes the time of day and the weekday from a date; undefined if the time is invalid. */
function partsOf(text: string): Written | undefined {
  // 'Mon Nov 03 2025 00:00:00 GMT+0000 (Greenwich Mean Time)'
  const bare = text.replace(/ ?\([^)]*\)$/, '')
  const [ahead, weekday] = weekdayAhead.exec(bare) ?? ['']
  const rest = bare.slice(ahead.length)
  const found = clock.exec(rest)
  const day = weekday && { weekday: weekday.toLowerCase().slice(0, 3) }
  if (!found) return { date: rest, ...day, minutes: 0 }
  const [, hour, minute, second = '0', half, name, sign, hours, minutes = '0'] = found
  const [h, m] = [Number(hour), Number(minute)]
  if (h > (half ? 12 : 24) || m > 59 || Number(second) > 59) return undefined
  const offset = sign ? Number(`${sign}1`) * (Number(hours) * 60 + Number(minutes)) : name && zones[name.toLowerCase()]
  return {
    date: `${rest.slice(0, found.index)}${rest.slice(found.index + found[0].length)}`.replace(/,$/, '').trim(),
    ...day,
    minutes: (half ? (h % 12) + (half.toLowerCase() === 'p' ? 12 : 0) : h) * 60 + m,
    ...(typeof offset === 'number' && { offset }),
  }
}

/**
 * Software writes a summer midnight as 23:00 UTC of the day before: midnight in the given zone means the day that
 * begins then. Other times keep the written day.
 */
function midnightIn(day: Day, { minutes, offset }: Written, zone: string): Day {
  if (offset === undefined || minutes === 0) return day
  const at = Date.parse(day) + (minutes - offset) * 60_000
  return localTime(at, zone) % 86_400_000 === 0 ? dayAt(at, zone) : day
}

const year = `'?(\\d{4}|\\d{2})`
const named = '([A-Za-z]{3,9})\\.?'
const numbered = '(\\d{1,2})(?:st|nd|rd|th)?'
const yearFirst = /^(\d{4})([-/. ])(\d{1,2}|[A-Za-z]{3,9})\2(\d{1,2})$/
const dayThenName = new RegExp(`^${numbered}(?: of)?[-/., ]*${named}[-/., ]*${year}$`, 'i')
const nameThenDay = new RegExp(`^${named}[-/ ]*${numbered}[-/, ]+${year}$`, 'i')

/** The day of a date; undefined if it is not a date. */
function dateIn(date: string, text: string, today: Day, order: DayOrder): ReturnType<typeof dayIn> | undefined {
  const first = yearFirst.exec(date)
  if (first) return yearDay(text, { year: first[1]!, month: first[3]!, date: first[4]! }, today)
  const figures = inFigures.exec(date)
  if (figures && figures[0] === date) {
    const [, one = '', , two = '', ofYear = ''] = figures
    const [day, month] = order === 'Month first' ? [two, one] : [one, two]
    return yearDay(text, { year: ofYear, month, date: day }, today)
  }
  const dayName = dayThenName.exec(date)
  if (dayName) return yearDay(text, { date: dayName[1]!, month: dayName[2]!, year: dayName[3]! }, today)
  const nameDay = nameThenDay.exec(date)
  return nameDay ? yearDay(text, { month: nameDay[1]!, date: nameDay[2]!, year: nameDay[3]! }, today) : undefined
}

function yearDay(
  text: string,
  written: { year: string; month: string; date: string },
  today: Day,
): ReturnType<typeof dayIn> | undefined {
  const month = /^\d/.test(written.month) ? Number(written.month) : monthCalled(written.month)
  if (month === undefined) return undefined
  const of = (ofYear: number) => calendarDay(text, ofYear, month, Number(written.date))
  const ofYear = Number(written.year)
  if (written.year.length === 4) return of(ofYear)
  const this20 = of(2000 + ofYear)
  // A date that is impossible in this century is not moved to the last one; the error names the intended year.
  if ('message' in this20 && 2000 + ofYear <= Number(today.slice(0, 4))) return this20
  const read = 'day' in this20 && this20.day <= today ? this20 : of(1900 + ofYear)
  return 'day' in read ? { ...read, note: `Read as ${dayText(read.day)}` } : read
}

/** The number of a month, from its name or the first letters. */
export function monthCalled(name: string): number | undefined {
  const lower = name.toLowerCase()
  const at = monthNames.findIndex((month) => {
    const own = month.toLowerCase()
    return lower === own || lower === own.slice(0, 3) || (lower === 'sept' && own === 'september')
  })
  return at < 0 ? undefined : at + 1
}

function calendarDay(text: string, ofYear: number, month: number, date: number): { day: Day } | { message: string } {
  const name = monthNames[month - 1]
  if (!name) return { message: `${text} is not a day: there is no month ${month}` }
  const days = new Date(Date.UTC(ofYear, month, 0)).getUTCDate()
  if (date < 1 || date > days)
    return { message: `${text} is not a day: ${month === 2 ? `${name} ${ofYear}` : name} has ${days} days` }
  if (ofYear < 1900) return notADate
  return { day: new Date(Date.UTC(ofYear, month - 1, date)).toISOString().slice(0, 10) }
}
