import type { DarkNight, ScheduleEntry } from '@caretaker/contract/groups.ts'
import type { PlanSearch } from '../plan-place.ts'

/** The plan of all groups: what is shown of it stands in the address. */
export interface PlanView {
  search: PlanSearch
  show: (change: PlanSearch) => void
  today: string
  month: string
  /** The tests of the span that the filters leave. */
  entries: ScheduleEntry[]
  collisions: readonly DarkNight[]
  now: number
  /** What is said where not all of the span is planned yet. */
  notYet: string | undefined
}
