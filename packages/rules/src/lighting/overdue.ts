import type { Day } from '../calendar/days.ts'
import { dayAfter, dayAt, startOfDay } from '../calendar/days.ts'
import type { TestType } from './tests.ts'

/** The tests that every light must have: a function test each month and a 3-hour test each year. */
export const requiredTests = ['T0', 'T180'] as const satisfies readonly TestType[]
export type RequiredTest = (typeof requiredTests)[number]

/**
 * Days between two required tests, and days of grace (common practice: 31 and 7, 365 and 30; not in the specification).
 */
export const dueEvery = { monthly: { days: 31, grace: 7 }, yearly: { days: 365, grace: 30 } } as const

/** Days after the last one from which a required test is overdue: interval plus grace. */
export const overdueAfterDays: Record<RequiredTest, number> = {
  T0: dueEvery.monthly.days + dueEvery.monthly.grace,
  T180: dueEvery.yearly.days + dueEvery.yearly.grace,
}

/**
 * When a required test becomes overdue, in ms: at the start of the day after its grace period.
 * @param last when the last test that counts began, or when the light was installed, in ms
 */
export function overdueAt(type: RequiredTest, last: number, zone: string): number {
  const day: Day = dayAfter(dayAt(last, zone), overdueAfterDays[type] + 1)
  return startOfDay(day, zone)
}
