import type { DarkNight, ScheduleEntry } from '@caretaker/contract/groups.ts'
import { dayAt } from '@caretaker/rules/calendar/days.ts'

export const dayOf = (entry: { testDate: string }, zone: string) => dayAt(Date.parse(entry.testDate), zone)

/** The collision that a test is part of. */
export const collisionOf = (entry: ScheduleEntry, collisions: readonly DarkNight[]) =>
  collisions.find(({ runs }) => runs.some((run) => run.groupId === entry.groupId && run.testDate === entry.testDate))

/** The key of a test in addresses and lists. */
export const keyOf = (entry: ScheduleEntry) => `${entry.groupId} ${entry.testType} ${entry.testDate}`

const weekdays = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday']
const weekdayAt = (day: string) => new Date(`${day}T00:00:00Z`).getUTCDay()
export const weekdayOf = (day: string): string => weekdays[weekdayAt(day)]!
export const isWeekend = (day: string): boolean => weekdayAt(day) % 6 === 0
