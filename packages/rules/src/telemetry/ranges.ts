import type { Day } from '../calendar/days.ts'
import { dayAfter, endOfDay, startOfDay } from '../calendar/days.ts'

const day = 86_400_000
/** The default range of charts: the last week up to now (devices specification, section 4, Charts). */
export const defaultRange = 7 * day

/** In ms since the epoch, both included. */
export interface TimeRange {
  from: number
  to: number
}

export const lastWeek = (now: number): TimeRange => ({ from: now - defaultRange, to: now })

/** Presets of the range picker (devices specification, section 9); all but the first are whole days. */
export const rangeShortcuts = {
  last7Days: { label: 'Last 7 days', days: undefined },
  soFarThisMonth: { label: 'So far this month', days: (today: Day) => ({ from: monthOf(today), to: today }) },
  previousMonth: {
    label: 'Previous Calendar Month',
    days: (today: Day) => {
      const to = dayAfter(monthOf(today), -1)
      return { from: monthOf(to), to }
    },
  },
  last5Weeks: { label: 'Last 5 weeks', days: (today: Day) => ({ from: dayAfter(today, -35), to: today }) },
} as const satisfies Record<string, { label: string; days: ((today: Day) => { from: Day; to: Day }) | undefined }>

/**
 * The presets on the property page, all whole days up to today (estate specification, section 2.3). Days are in UTC
 * (decisions, Days).
 */
export const homeRangeShortcuts = {
  ...rangeShortcuts,
  last7Days: { ...rangeShortcuts.last7Days, days: (today: Day) => ({ from: dayAfter(today, -6), to: today }) },
  last5Weeks: { ...rangeShortcuts.last5Weeks, days: (today: Day) => ({ from: dayAfter(today, -34), to: today }) },
} satisfies RangeShortcuts
export const homeZone = 'UTC'

/** Ranges on the first tab of a device without a property; the first is the last week up to now. */
export const deviceRanges = {
  last7Days: { label: '7 days', days: undefined },
  last30Days: { label: '30 days', days: (today: Day) => ({ from: dayAfter(today, -30), to: today }) },
} as const satisfies Record<string, { label: string; days: ((today: Day) => { from: Day; to: Day }) | undefined }>
export type DeviceRange = keyof typeof deviceRanges

export type RangeShortcuts = Record<
  RangeShortcut,
  { label: string; days: ((today: Day) => { from: Day; to: Day }) | undefined }
>
export type RangeShortcut = keyof typeof rangeShortcuts
export const rangeShortcutNames = Object.keys(rangeShortcuts) as RangeShortcut[]

const monthOf = (one: Day): Day => `${one.slice(0, 7)}-01`

/** Whole days as instants in the zone, up to the last millisecond of the end day. */
export const rangeOfDays = ({ from, to }: { from: Day; to: Day }, zone: string): TimeRange => ({
  from: startOfDay(from, zone),
  to: endOfDay(to, zone),
})

/** The last completed winter, 1 December to the end of February: the coldest months show how a property is heated. */
export function lastWinter(today: Day): { from: Day; to: Day } {
  const year = Number(today.slice(0, 4)) - (today.slice(5) < '03-01' ? 1 : 0)
  return { from: `${year - 1}-12-01`, to: dayAfter(`${year}-03-01`, -1) }
}

/** The same days a year earlier; a leap day becomes 28 February. */
export function yearBefore({ from, to }: { from: Day; to: Day }): { from: Day; to: Day } {
  const before = (day: Day): Day => {
    const same = `${Number(day.slice(0, 4)) - 1}${day.slice(4)}`
    return same.endsWith('02-29') ? same.replace('02-29', '02-28') : same
  }
  return { from: before(from), to: before(to) }
}
