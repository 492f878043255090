import type { Day } from '../calendar/days.ts'
import { startOfDay } from '../calendar/days.ts'

/** A calendar month; January is 1. */
export interface Month {
  year: number
  month: number
}

/** The earliest year of reports (estate specification, section 9). */
export const firstReportYear = 2019

const two = (value: number) => String(value).padStart(2, '0')

/** 'YYYY-MM' */
export const monthText = ({ year, month }: Month) => `${year}-${two(month)}`

/** The month that contains a day. */
export function monthOf(day: Day): Month {
  const [year, month] = day.split('-').map(Number) as [number, number]
  return { year, month }
}

/** The month `months` later, or earlier if negative. */
export function monthAfter({ year, month }: Month, months: number): Month {
  const index = year * 12 + month - 1 + months
  return { year: Math.floor(index / 12), month: (((index % 12) + 12) % 12) + 1 }
}

const firstDay = (month: Month): Day => `${monthText(month)}-01`

/** The first instant of a month in a zone and of the next month, in ms since the epoch. */
export function monthSpan(month: Month, zone: string): { from: number; to: number } {
  return { from: startOfDay(firstDay(month), zone), to: startOfDay(firstDay(monthAfter(month, 1)), zone) }
}

/** The years to choose from, current one first. */
export function reportYears(today: Day): number[] {
  const { year } = monthOf(today)
  return Array.from({ length: year - firstReportYear + 1 }, (_, index) => year - index)
}

/** The months of a year to choose from: in the current year those that are over. */
export function reportMonths(year: number, today: Day): number[] {
  const now = monthOf(today)
  if (year < firstReportYear || year > now.year) return []
  return Array.from({ length: year === now.year ? now.month - 1 : 12 }, (_, index) => index + 1)
}

/** The default choice: last month, in January December of the previous year. */
export const presetMonth = (today: Day): Month => monthAfter(monthOf(today), -1)

export const isRunning = (month: Month, today: Day) => monthText(month) === monthText(monthOf(today))

/** Why there is no report for a month; undefined if there is one. The current month has one up to now. */
export function monthFault(month: Month, today: Day): string | undefined {
  if (month.year < firstReportYear) return `Reports begin with ${firstReportYear}.`
  if (month.month < 1 || month.month > 12) return 'A month must be a number from 1 to 12.'
  return monthText(month) > monthText(monthOf(today)) ? 'That month has not begun.' : undefined
}

const names = ['January', 'February', 'March', 'April', 'May', 'June', 'July']
const laterNames = ['August', 'September', 'October', 'November', 'December']
export const monthNames = [...names, ...laterNames] as const

/** 'October 2026' */
export const monthWords = ({ year, month }: Month) => `${monthNames[month - 1]} ${year}`
