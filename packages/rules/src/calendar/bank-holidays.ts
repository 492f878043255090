import type { Day } from './days.ts'
import { dayAfter } from './days.ts'

const dayOf = (year: number, month: number, date: number): Day =>
  new Date(Date.UTC(year, month - 1, date)).toISOString().slice(0, 10)
/** 0 is Sunday. */
const weekdayOf = (day: Day): number => new Date(`${day}T00:00:00Z`).getUTCDay()
const isWeekend = (day: Day): boolean => weekdayOf(day) % 6 === 0

/** Easter Sunday of the Gregorian calendar (Meeus, Astronomical Algorithms, chapter 8). */
function easterOf(year: number): Day {
  const [a, b, c] = [year % 19, Math.floor(year / 100), year % 100]
  const h = (19 * a + b - Math.floor(b / 4) - Math.floor((b - Math.floor((b + 8) / 25) + 1) / 3) + 15) % 30
  const l = (32 + 2 * (b % 4) + 2 * Math.floor(c / 4) - h - (c % 4)) % 7
  const m = Math.floor((a + 11 * h + 22 * l) / 451)
  const sum = h + l - 7 * m + 114
  return dayOf(year, Math.floor(sum / 31), (sum % 31) + 1)
}

/** The first Monday on or after a day, and the last on or before it. */
const mondayFrom = (day: Day): Day => dayAfter(day, (8 - weekdayOf(day)) % 7)
const mondayUpTo = (day: Day): Day => dayAfter(day, -((weekdayOf(day) + 6) % 7))

/** Changes by proclamation (gov.uk/bank-holidays): substituted or additional days. */
const moved: Readonly<Record<number, Readonly<Record<Day, Day>>>> = {
  2020: { '2020-05-04': '2020-05-08' },
  2022: { '2022-05-30': '2022-06-02' },
}
const added: Readonly<Record<number, readonly Day[]>> = {
  2022: ['2022-06-03', '2022-09-19'],
  2023: ['2023-05-08'],
}

const known = new Map<number, ReadonlySet<Day>>()

/**
 * The bank holidays of England and Wales in a year (Banking and Financial Dealings Act 1971, and gov.uk/bank-holidays).
 * A holiday on a weekend moves to the next working day.
 */
export function bankHolidaysOf(year: number): ReadonlySet<Day> {
  const found = known.get(year)
  if (found) return found
  const easter = easterOf(year)
  const days = new Set<Day>()
  for (const day of [
    dayOf(year, 1, 1),
    dayAfter(easter, -2),
    dayAfter(easter, 1),
    mondayFrom(dayOf(year, 5, 1)),
    mondayUpTo(dayOf(year, 5, 31)),
    mondayUpTo(dayOf(year, 8, 31)),
    dayOf(year, 12, 25),
    dayOf(year, 12, 26),
  ]) {
    let kept = moved[year]?.[day] ?? day
    // If Christmas Day is a Saturday it moves to Monday, and Boxing Day to Tuesday.
    while (isWeekend(kept) || days.has(kept)) kept = dayAfter(kept, 1)
    days.add(kept)
  }
  // If Christmas Day is a Sunday, Boxing Day stays on Monday and Christmas moves to Tuesday.
  if (weekdayOf(dayOf(year, 12, 25)) === 0) for (const date of [26, 27]) days.add(dayOf(year, 12, date))
  for (const day of added[year] ?? []) days.add(day)
  known.set(year, days)
  return days
}

/** Whether a day is a working day in England: neither weekend nor bank holiday. */
export const isWorkingDay = (day: Day): boolean => !isWeekend(day) && !bankHolidaysOf(Number(day.slice(0, 4))).has(day)

/** The working day `count` working days after a day. That day itself is day 0, the next working day is day 1. */
export function workingDaysAfter(day: Day, count: number): Day {
  let found = day
  for (let left = count; left > 0;) {
    found = dayAfter(found, 1)
    if (isWorkingDay(found)) left--
  }
  return found
}

/** The working day `count` working days before a day; the day itself for 0. */
export function workingDaysBefore(day: Day, count: number): Day {
  let found = day
  for (let left = count; left > 0;) {
    found = dayAfter(found, -1)
    if (isWorkingDay(found)) left--
  }
  return found
}

/** The number of working days after one day up to and including another; 0 if the second is not later. */
export function workingDaysBetween(from: Day, to: Day): number {
  let count = 0
  for (let day = dayAfter(from, 1); day <= to; day = dayAfter(day, 1)) if (isWorkingDay(day)) count++
  return count
}
