import type { Day } from '../calendar/days.ts'
import { startOfDay } from '../calendar/days.ts'

/** A calendar month, January being 1. */
export interface Month {
  year: number
  month: number
}

/** The first year that a report can be of (estate specification, section 9). */
export const firstReportYear = 2019

const two = (value: number) => String(value).padStart(2, '0')

/** 'YYYY-MM' */
export const monthText = ({ year, month }: Month) => `${year}-${two(month)}`

/** The month that a day lies in. */
export function monthOf(day: Day): Month {
  const [year, month] = day.split('-').map(Number) as [number, number]
  return { year, month }
}

/** The month so many months later, or earlier. */
export function monthAfter({ year, month }: Month, months: number): Month {
  const index = year * 12 + month - 1 + months
  return { year: Math.floor(index / 12), month: (((index % 12) + 12) % 12) + 1 }
}

const firstDay = (month: Month): Day => `${monthText(month)}-01`

/** The first instant of a month in a zone, and the first of the next one, in ms since the epoch. */
export function monthSpan(month: Month, zone: string): { from: number; to: number } {
  return { from: startOfDay(firstDay(month), zone), to: startOfDay(firstDay(monthAfter(month, 1)), zone) }
}

/** The years that can be chosen, the current one first. */
export function reportYears(today: Day): number[] {
  const { year } = monthOf(today)
  return Array.from({ length: year - firstReportYear + 1 }, (_, index) => year - index)
}

/** The months of a year that can be chosen: of the current year those that are over. */
export function reportMonths(year: number, today: Day): number[] {
  const now = monthOf(today)
  if (year < firstReportYear || year > now.year) return []
  return Array.from({ length: year === now.year ? now.month - 1 : 12 }, (_, index) => index + 1)
}

/** What is chosen at first: last month, in January December of the year before. */
export const presetMonth = (today: Day): Month => monthAfter(monthOf(today), -1)

export const isRunning = (month: Month, today: Day) => monthText(month) === monthText(monthOf(today))

/** Why there is no report of a month, or undefined where there is one: the running month has one too, so far. */
export function monthFault(month: Month, today: Day): string | undefined {
  if (month.year < firstReportYear) return `Reports begin with ${firstReportYear}.`
  if (month.month < 1 || month.month > 12) return 'A month is a number from 1 to 12.'
  return monthText(month) > monthText(monthOf(today)) ? 'That month has not begun.' : undefined
}

const names = ['January', 'February', 'March', 'April', 'May', 'June', 'July']
const laterNames = ['August', 'September', 'October', 'November', 'December']
export const monthNames = [...names, ...laterNames] as const

/** 'October 2026' */
export const monthWords = ({ year, month }: Month) => `${monthNames[month - 1]} ${year}`
