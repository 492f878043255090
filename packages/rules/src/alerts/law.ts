import { workingDaysBefore } from '../calendar/bank-holidays.ts'
import { startOfDay } from '../calendar/days.ts'
import type { Due } from '../properties/awaabs-deadlines.ts'
import { lateFrom } from '../properties/awaabs-deadlines.ts'

/** Working days before an Awaab's Law deadline at which a rule can notify. */
const notices = [10, 5, 2, 1] as const

/**
 * The alert events of a deadline at an instant, each with its start in ms. Notices start at the beginning of a day; a
 * deadline is missed at the end of its day, an emergency deadline at its hour.
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
