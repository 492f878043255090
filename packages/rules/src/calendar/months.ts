import type { Day } from './days.ts'
import { dayAfter } from './days.ts'

/** The month ('YYYY-MM') `months` later, or earlier if negative. */
export function monthAfter(month: string, months: number): string {
  const [year, number] = month.split('-').map(Number) as [number, number]
  return new Date(Date.UTC(year, number - 1 + months)).toISOString().slice(0, 7)
}

export const lastDayOf = (month: string): Day => dayAfter(`${monthAfter(month, 1)}-01`, -1)
