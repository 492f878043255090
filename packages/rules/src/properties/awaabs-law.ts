import { workingDaysAfter } from '../calendar/bank-holidays.ts'
import type { Day } from '../calendar/days.ts'
import type { AwaabsLawStatus } from './details.ts'
import { awaabsLawStatuses } from './details.ts'

/** Working days in which each step has to be done. Defaults, which an organisation may change. */
export interface AwaabsLawFigures {
  /** From the day on which the landlord became aware. */
  investigation: number
  /** From the end of the investigation, until the summary is sent. */
  summary: number
  /** From the end of the investigation, until the home is made safe. */
  repairs: number
}

/**
 * The Hazards in Social Housing (Prescribed Requirements) (England) Regulations 2025 (SI 2025/1042): a significant hazard is
 * investigated in 10 working days, its summary sent in 3 and safety work done in 5 after the investigation. The day of
 * awareness is day 0; weekends and bank holidays of England do not count.
 */
export const defaultAwaabsLaw: AwaabsLawFigures = { investigation: 10, summary: 3, repairs: 5 }
export const awaabsLawLimits = { least: 1, most: 60 } as const

/** A step of a case, on the day on which it was begun. */
export interface AwaabsLawStep {
  status: AwaabsLawStatus
  on: Day
}

/** The steps of the case that is open, the first first: those after the last one that closed a case. */
export function openCase<S extends AwaabsLawStep>(steps: readonly S[]): S[] {
  return steps.slice(steps.findLastIndex(({ status }) => status === 'None') + 1)
}

/** The day by which the step that is entered last has to be done; null where the law names none. */
export function awaabsLawDue(steps: readonly AwaabsLawStep[], figures: AwaabsLawFigures): Day | null {
  const now = openCase(steps)
  const last = now.at(-1)
  if (!last) return null
  if (last.status === 'Investigation') return workingDaysAfter(last.on, figures.investigation)
  // The investigation ends when the step after it begins.
  const investigated = now.findLastIndex(({ status }) => status === 'Investigation')
  const ended = now[investigated + 1]?.on ?? last.on
  if (last.status === 'Summary') return workingDaysAfter(ended, figures.summary)
  return last.status === 'Repairs' ? workingDaysAfter(ended, figures.repairs) : null
}

/** The steps through which a case goes, in their order. */
export const awaabsLawSteps = awaabsLawStatuses.filter((status) => status !== 'None')
