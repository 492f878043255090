import { clockName, dayAt, localTime } from '../calendar/days.ts'
import type { StartQuestion } from './plan.ts'
import { localTimeAt } from './plan.ts'

/** 'Monday 30 November 2026'. */
export function longDay(at: number, zone: string): string {
  const day = new Date(localTime(at, zone))
  const part = (options: Intl.DateTimeFormatOptions) => day.toLocaleDateString('en-GB', { ...options, timeZone: 'UTC' })
  return `${part({ weekday: 'long' })} ${part({ day: 'numeric' })} ${part({ month: 'long' })} ${part({ year: 'numeric' })}`
}

/** '15:34', with 'BST' or 'GMT' if that time occurs twice. */
const clock = (at: number, zone: string) =>
  [localTimeAt(at, zone).slice(11), clockName(at, zone)].filter(Boolean).join(' ')

/** 'Monday 30 November 2026, 02:00'. */
export const nightText = (at: number, zone: string): string => `${longDay(at, zone)}, ${clock(at, zone)}`

const counted = (count: number, one: string) => `${count.toLocaleString('en-GB')} ${count === 1 ? one : `${one}s`}`

/** The effect of a T180 while it runs. */
export const darkTitle = (lights: number, floors: number): string =>
  `If the power fails, ${counted(lights, 'light')} on ${counted(floors, 'floor')} ${lights === 1 ? 'goes' : 'go'} dark`

/** Start, end, and how long the batteries charge. */
export function darkText({ from, to, chargedBy }: StartQuestion, { now, zone }: { now: number; zone: string }): string {
  const day = dayAt(from, zone) === dayAt(now, zone) ? 'today' : `on ${longDay(from, zone)}`
  return `The test drains the batteries from ${clock(from, zone)} to ${clock(to, zone)} ${day}. They then need 24 h to recharge, until ${clock(chargedBy, zone)} on ${longDay(chargedBy, zone)}.`
}
