import { dayAt } from '@caretaker/rules/calendar/days.ts'
import { useClock } from '../../../ui/age-view.tsx'
import { useZone } from '../../../ui/zone.tsx'
import type { TestsSearch } from './tests-place.ts'

/** The shown year: the current one, unless the address names another. */
export function useYear({ year }: TestsSearch): number {
  const [zone, now] = [useZone(), useClock()]
  return year ?? Number(dayAt(now, zone).slice(0, 4))
}
