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

/**
 * Kinds of hazards, and the day from which the regulations know each: damp and mould from phase 1, 27 October 2025, those of
 * phase 2 from 30 November 2026; those of phase 3, all others but crowding, in 2027 on a day that nobody has named (GOV.UK guidance on
 * Awaab's Law, July 2026). Until then a case of such a hazard can be kept, and no day is due by law.
 */
export const awaabsLawHazards = {
  'Damp and mould': '2025-10-27',
  'Excess cold': '2026-11-30',
  'Excess heat': '2026-11-30',
  Falls: '2026-11-30',
  'Structural collapse': '2026-11-30',
  'Fire or explosion': '2026-11-30',
  Electrical: '2026-11-30',
  'Hygiene or food safety': '2026-11-30',
  'Another hazard': null,
} as const satisfies Record<string, Day | null>
export type AwaabsLawHazard = keyof typeof awaabsLawHazards
export const awaabsLawHazardNames = Object.keys(awaabsLawHazards) as AwaabsLawHazard[]

/** Whether the law knows a hazard on a day. A case of which nobody has said the hazard is taken to be one that it knows. */
export function isKnownHazard(hazard: AwaabsLawHazard | null, on: Day): boolean {
  if (hazard === null) return true
  const from = awaabsLawHazards[hazard]
  return from !== null && from <= on
}

/** A step of a case, on the day on which it was begun. */
export interface AwaabsLawStep {
  status: AwaabsLawStatus
  on: Day
  /** Said with any of the steps; it holds for the case. */
  hazard?: AwaabsLawHazard | null
}

/** The steps of the case that is open, the first first: those after the last one that closed a case. */
export function openCase<S extends AwaabsLawStep>(steps: readonly S[]): S[] {
  return steps.slice(steps.findLastIndex(({ status }) => status === 'None') + 1)
}

/** The hazard of the case that is open, as it was said last; null where nobody has said. */
export const hazardOf = (steps: readonly AwaabsLawStep[]): AwaabsLawHazard | null =>
  openCase(steps).findLast(({ hazard }) => hazard)?.hazard ?? null

/** The day by which the step that is entered last has to be done; null where the law names none. */
export function awaabsLawDue(steps: readonly AwaabsLawStep[], figures: AwaabsLawFigures): Day | null {
  const now = openCase(steps)
  const last = now.at(-1)
  if (!last) return null
  // Whoever becomes aware before the law knows the hazard is bound by other duties, not by its days.
  if (!isKnownHazard(hazardOf(now), now[0]!.on)) return null
  if (last.status === 'Investigation') return workingDaysAfter(last.on, figures.investigation)
  // The investigation ends when the step after it begins.
  const investigated = now.findLastIndex(({ status }) => status === 'Investigation')
  const ended = now[investigated + 1]?.on ?? last.on
  if (last.status === 'Summary') return workingDaysAfter(ended, figures.summary)
  return last.status === 'Repairs' ? workingDaysAfter(ended, figures.repairs) : null
}

/** The steps through which a case goes, in their order. */
export const awaabsLawSteps = awaabsLawStatuses.filter((status) => status !== 'None')
