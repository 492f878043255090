import { isDay } from '@caretaker/rules/calendar/days.ts'
import type { TestType } from '@caretaker/rules/lighting/tests.ts'
import { leastAhead } from '@caretaker/rules/lighting/plan.ts'
import { testTypes } from '@caretaker/rules/lighting/tests.ts'
import { dateText } from '../../ui/age.ts'

/** The parameters of the plan in the address; defaults are left out. */
export interface PlanSearch {
  /** 'YYYY-MM': the shown month, or the first month of a year. */
  month?: string
  span?: 'year'
  building?: string
  /** Hidden test types, separated by commas. */
  without?: string
  /** The open night. */
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

/** The notice for a plan that extends beyond the scheduled period; undefined otherwise. */
export function notPlannedYet(to: number, { now, zone }: { now: number; zone: string }): string | undefined {
  const until = now + leastAhead
  return to > until
    ? `Tests are scheduled at least a year ahead, until ${dateText(until, zone)}. Later tests appear closer to their date.`
    : undefined
}

/** The day of tonight or the next test; the last one if all are past. */
export const nearestNight = (days: readonly string[], today: string): string | undefined =>
  days.find((day) => day >= today) ?? days.at(-1)
