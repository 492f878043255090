import { workingDaysBefore } from '../calendar/bank-holidays.ts'
import type { Day } from '../calendar/days.ts'
import { dayAfter } from '../calendar/days.ts'

/** Working days before a deadline of Awaab's Law that a rule can wait for. */
const notices = [10, 5, 2, 1] as const

/** What holds of a deadline on a day, and from which day on. */
export function lawEventsOn(dueOn: Day, today: Day) {
  if (today > dueOn) return [{ key: 'awaabsLawMissed', since: dayAfter(dueOn, 1) }] as const
  return [
    ...notices.map((days) => ({ key: `awaabsLawIn${days}` as const, since: workingDaysBefore(dueOn, days) })),
    { key: 'awaabsLawToday' as const, since: dueOn },
  ].filter(({ since }) => since <= today)
}
