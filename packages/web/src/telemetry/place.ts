import type { Day } from '@caretaker/rules/calendar/days.ts'
import { dayAfter, dayAt, isDay } from '@caretaker/rules/calendar/days.ts'
import type { RangeShortcut, RangeShortcuts, TimeRange } from '@caretaker/rules/telemetry/ranges.ts'
import { lastWeek, rangeOfDays, rangeShortcutNames } from '@caretaker/rules/telemetry/ranges.ts'
import type { TelemetryViewId } from '@caretaker/rules/telemetry/views.ts'
import { telemetryViewIds } from '@caretaker/rules/telemetry/views.ts'

/** The telemetry parameters in the address; defaults are left out. */
export interface TelemetrySearch {
  view?: TelemetryViewId
  /** A shortcut; otherwise days, including the whole end day. */
  range?: RangeShortcut
  from?: Day
  to?: Day
}

/** The known parameters of an address; any value may occur. */
export function validTelemetrySearch(search: Record<string, unknown>): TelemetrySearch {
  const view = telemetryViewIds.find((one) => one === search['view'])
  const range = rangeShortcutNames.find((one) => one === search['range'] && one !== 'last7Days')
  const { from, to } = search
  return {
    ...(view ? { view } : {}),
    ...(range ? { range } : {}),
    ...(!range && isDay(from) ? { from } : {}),
    ...(!range && isDay(to) ? { to } : {}),
  }
}

/** A requested range: given days, or the last week up to the time of the request. */
export interface AskedRange {
  shortcut: RangeShortcut | undefined
  days: { from: Day; to: Day } | undefined
}

/** The range in a search: no day is later than today, and none ends before it begins. */
export function rangeIn({ range, from, to }: TelemetrySearch, today: Day, shortcuts: RangeShortcuts): AskedRange {
  const shortcut = range ?? (from || to ? undefined : 'last7Days')
  if (shortcut) return { shortcut, days: shortcuts[shortcut].days?.(today) }
  const past = (day: Day) => (day > today ? today : day)
  const end = past(to ?? today)
  const begin = past(from ?? dayAfter(end, -7))
  return { shortcut: undefined, days: begin <= end ? { from: begin, to: end } : { from: end, to: begin } }
}

/** The days that a range shows. */
export function daysOf({ days }: AskedRange, now: number, zone: string): { from: Day; to: Day } {
  const { from, to } = lastWeek(now)
  return days ?? { from: dayAt(from, zone), to: dayAt(to, zone) }
}

/** The instants of a range of days; undefined for the last week, which moves with each request. */
export const instantsOf = ({ days }: AskedRange, zone: string): TimeRange | undefined => days && rangeOfDays(days, zone)
