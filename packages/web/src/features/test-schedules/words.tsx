import { dayAt } from '@caretaker/rules/calendar/days.ts'
import type { TestType } from '@caretaker/rules/lighting/tests.ts'

/** The test type as shown: T and its minutes. */
export const typeOf = ({ duration }: { duration: number }) => `T${duration}` as TestType

/** The relative day: 'today', 'tomorrow', 'in 7 days', 'yesterday', '3 days ago'. */
export function inDays(at: number | string, now: number, zone: string): string {
  const start = (one: number) => Date.parse(dayAt(one, zone))
  const days = Math.round((start(new Date(at).getTime()) - start(now)) / 86_400_000)
  if (days === 0) return 'today'
  if (Math.abs(days) === 1) return days > 0 ? 'tomorrow' : 'yesterday'
  return days > 0 ? `in ${days} days` : `${-days} days ago`
}

export const lightsText = (count: number) => (count === 1 ? '1 light' : `${count.toLocaleString('en-GB')} lights`)
