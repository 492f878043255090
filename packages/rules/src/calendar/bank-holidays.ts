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

/** The first Monday from a day on, and the last one up to it. */
const mondayFrom = (day: Day): Day => dayAfter(day, (8 - weekdayOf(day)) % 7)
const mondayUpTo = (day: Day): Day => dayAfter(day, -((weekdayOf(day) + 6) % 7))

/** What proclamations moved or added (gov.uk/bank-holidays): a day in place of another, or besides. */
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
 * The bank holidays of England and Wales in a year (Banking and Financial Dealings Act 1971, and gov.uk/bank-holidays): one
 * that falls on a weekend is kept on the next day that is neither.
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
    // Christmas on a Saturday takes the Monday, and Boxing Day the Tuesday after it.
    while (isWeekend(kept) || days.has(kept)) kept = dayAfter(kept, 1)
    days.add(kept)
  }
  // Christmas on a Sunday leaves Boxing Day its Monday, and takes the Tuesday.
  if (weekdayOf(dayOf(year, 12, 25)) === 0) for (const date of [26, 27]) days.add(dayOf(year, 12, date))
  for (const day of added[year] ?? []) days.add(day)
  known.set(year, days)
  return days
}

/** Whether people are at work on a day in England: neither a weekend nor a bank holiday. */
export const isWorkingDay = (day: Day): boolean => !isWeekend(day) && !bankHolidaysOf(Number(day.slice(0, 4))).has(day)

/** The working day that is so many after a day; the day itself is day 0, the next working day is day 1. */
export function workingDaysAfter(day: Day, count: number): Day {
  let found = day
  for (let left = count; left > 0;) {
    found = dayAfter(found, 1)
    if (isWorkingDay(found)) left--
  }
  return found
}

/** The working day that is so many before a day; the day itself for none. */
export function workingDaysBefore(day: Day, count: number): Day {
  let found = day
  for (let left = count; left > 0;) {
    found = dayAfter(found, -1)
    if (isWorkingDay(found)) left--
  }
  return found
}

/** How many working days lie after one day, up to another that is included; 0 where that is not later. */
export function workingDaysBetween(from: Day, to: Day): number {
  let count = 0
  for (let day = dayAfter(from, 1); day <= to; day = dayAfter(day, 1)) if (isWorkingDay(day)) count++
  return count
}
