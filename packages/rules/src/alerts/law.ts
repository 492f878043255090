import { workingDaysBefore } from '../calendar/bank-holidays.ts'
import { startOfDay } from '../calendar/days.ts'
import type { Due } from '../properties/awaabs-deadlines.ts'
import { lateFrom } from '../properties/awaabs-deadlines.ts'

/** Working days before a deadline of Awaab's Law that a rule can wait for. */
const notices = [10, 5, 2, 1] as const

/**
 * What holds of a deadline at an instant, and from which on, in ms. Notices begin with a day; a deadline is missed when its day is over,
 * that of an emergency at its hour.
 */
export function lawEventsAt(due: Due, now: number, zone: string) {
  const late = lateFrom(due, zone)
  if (now >= late) return [{ key: 'awaabsLawMissed', since: late }] as const
  return [
    ...notices.map((days) => ({
      key: `awaabsLawIn${days}` as const,
      since: startOfDay(workingDaysBefore(due.on, days), zone),
    })),
    { key: 'awaabsLawToday' as const, since: startOfDay(due.on, zone) },
  ].filter(({ since }) => since <= now)
}
