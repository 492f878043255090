import { isDay } from '@caretaker/rules/calendar/days.ts'
import type { TestType } from '@caretaker/rules/lighting/tests.ts'
import { leastAhead } from '@caretaker/rules/lighting/plan.ts'
import { testTypes } from '@caretaker/rules/lighting/tests.ts'
import { dateText } from '../../ui/age.ts'

/** What of the plan the address holds; what is usual is left out. */
export interface PlanSearch {
  /** 'YYYY-MM': the month that is shown, or with which a year begins. */
  month?: string
  span?: 'year'
  building?: string
  /** Kinds of tests that are not shown, by comma. */
  without?: string
  /** The night that is open. */
  night?: string
}

export function validPlanSearch(search: Record<string, unknown>): PlanSearch {
  const { month, span, building, without, night } = search
  const hidden = typeof without === 'string' ? typesIn(without) : []
  return {
    ...(isDay(`${String(month)}-01`) ? { month: month as string } : {}),
    ...(span === 'year' ? { span } : {}),
    ...(typeof building === 'string' && building ? { building: building.slice(0, 64) } : {}),
    ...(hidden.length ? { without: hidden.join() } : {}),
    ...(isDay(night) ? { night } : {}),
  }
}

export const typesIn = (text: string): TestType[] => testTypes.filter((type) => text.split(',').includes(type))

/** What is said of a plan that shows days up to an instant for which nothing may be planned yet; undefined where all of it is. */
export function notPlannedYet(to: number, { now, zone }: { now: number; zone: string }): string | undefined {
  const until = now + leastAhead
  return to > until
    ? `Tests are scheduled at least a year ahead, until ${dateText(until, zone)}. Later tests appear closer to their date.`
    : undefined
}

/** Of the days with tests, in their order, tonight's or the next; the last where all are over. */
export const nearestNight = (days: readonly string[], today: string): string | undefined =>
  days.find((day) => day >= today) ?? days.at(-1)
