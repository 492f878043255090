import type { DarkNight, ScheduleEntry } from '@caretaker/contract/groups.ts'
import type { PlanSearch } from '../plan-place.ts'

/** The plan of all groups; its parameters are in the address. */
export interface PlanView {
  search: PlanSearch
  show: (change: PlanSearch) => void
  today: string
  month: string
  /** The filtered tests of the period. */
  entries: ScheduleEntry[]
  collisions: readonly DarkNight[]
  now: number
  /** The notice if part of the period is not scheduled yet. */
  notYet: string | undefined
}
