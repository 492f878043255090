import { workingDaysAfter, workingDaysBefore } from '../calendar/bank-holidays.ts'
import type { Day } from '../calendar/days.ts'
import { dayAfter, dayText } from '../calendar/days.ts'
import type { AwaabsLawStatus } from './details.ts'
import { awaabsLawStatuses, testDayFault } from './details.ts'

/** In which time each step has to be done. Defaults, which an organisation may change. */
export interface AwaabsLawFigures {
  /** Working days from the day on which the landlord became aware. */
  investigation: number
  /** Working days from the end of the investigation, until the summary is sent. */
  summary: number
  /** Working days from the end of the investigation, until the home is made safe. */
  repairs: number
  /** Hours from when an emergency was found, until it is investigated and the home made safe. */
  emergency: number
  /** Weeks from the end of the investigation, until works begin that keep the hazard from coming again. */
  preventive: number
  /** Working days before a step is due from which it is said to be near. */
  notice: number
}

/**
 * The Hazards in Social Housing (Prescribed Requirements) (England) Regulations 2025 (SI 2025/1042): a significant hazard is
 * investigated in 10 working days, its summary sent in 3 and safety work done in 5 after the investigation; preventive works
 * begin in 12 weeks; an emergency is investigated and made safe in 24 hours, whatever day it is. The day of awareness is day 0;
 * weekends and bank holidays of England do not count.
 */
export const defaultAwaabsLaw: AwaabsLawFigures = {
  ...{ investigation: 10, summary: 3, repairs: 5 },
  ...{ emergency: 24, preventive: 12, notice: 2 },
}

/** Within which an organisation may change the figures, and what each counts. */
export const awaabsLawLimits = {
  investigation: { least: 1, most: 60, unit: 'working days' },
  summary: { least: 1, most: 60, unit: 'working days' },
  repairs: { least: 1, most: 60, unit: 'working days' },
  emergency: { least: 1, most: 168, unit: 'hours' },
  preventive: { least: 1, most: 52, unit: 'weeks' },
  notice: { least: 0, most: 20, unit: 'working days' },
} as const satisfies Record<keyof AwaabsLawFigures, { least: number; most: number; unit: string }>
export const awaabsLawFigureNames = Object.keys(awaabsLawLimits) as (keyof AwaabsLawFigures)[]

/** What is wrong with one of the figures; undefined where nothing is. */
export function awaabsLawFigureFault(name: keyof AwaabsLawFigures, value: number): string | undefined {
  const { least, most, unit } = awaabsLawLimits[name]
  return Number.isInteger(value) && value >= least && value <= most ? undefined : `Enter ${least} to ${most} ${unit}`
}

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
  /** Whether it is an emergency, where that was said with this step; it holds for the case until somebody says another thing. */
  emergency?: boolean | null
}

/** What somebody entered: a step, or the true day of one that was entered before. */
export interface AwaabsLawEntry extends AwaabsLawStep {
  id: string
  corrects?: string | null
}

/** The steps as they are known by now: nothing that was entered changes, and whoever reads it reads the true days. */
export function correctedSteps<E extends AwaabsLawEntry>(entries: readonly E[]): E[] {
  const known = new Map<string, Day>()
  for (const { corrects, on } of entries) if (corrects) known.set(corrects, on)
  return entries
    .filter(({ corrects }) => !corrects)
    .map((entry) => (known.has(entry.id) ? { ...entry, on: known.get(entry.id)! } : entry))
}

/** The steps of the case that is open, the first first: those after the last one that closed a case. */
export function openCase<S extends AwaabsLawStep>(steps: readonly S[]): S[] {
  return steps.slice(steps.findLastIndex(({ status }) => status === 'None') + 1)
}

/** The same, each status once and from when it was first so: what is said of a step later is entered as that step once more. */
export const stagesOf = <S extends AwaabsLawStep>(steps: readonly S[]): S[] =>
  openCase(steps).filter(({ status }, at, all) => status !== all[at - 1]?.status)

/** The hazard of the case that is open, as it was said last; null where nobody has said. */
export const hazardOf = (steps: readonly AwaabsLawStep[]): AwaabsLawHazard | null =>
  openCase(steps).findLast(({ hazard }) => hazard)?.hazard ?? null

/** The day on which the case that is open was found to be an emergency; undefined where it is none. */
export function emergencySince(steps: readonly AwaabsLawStep[]): Day | undefined {
  const said = openCase(steps).filter(({ emergency }) => typeof emergency === 'boolean')
  const since = said[said.findLastIndex(({ emergency }) => !emergency) + 1]
  return since?.on
}

/** What is known of the case that is open, besides its status. */
export interface KnownOfCase {
  begun: Day
  /** From when its step is so. */
  since: Day
  hazard: AwaabsLawHazard | null
  emergency: Day | null
}

/** The same of steps; null where no case is open. */
export function knownOfCase(steps: readonly AwaabsLawStep[]): KnownOfCase | null {
  const [stages, emergency] = [stagesOf(steps), emergencySince(steps) ?? null]
  const [first] = stages
  return first ? { begun: first.on, since: stages.at(-1)!.on, hazard: hazardOf(steps), emergency } : null
}

/** The day on which the investigation of the case ended: the step after it begins then. Undefined as long as it goes on. */
function investigatedOn(stages: readonly AwaabsLawStep[]): Day | undefined {
  if (stages.at(-1)?.status === 'Investigation') return undefined
  return stages[stages.findLastIndex(({ status }) => status === 'Investigation') + 1]?.on
}

/** The day by which the step that the case is at has to be done; null where the law names none. */
export function awaabsLawDue(steps: readonly AwaabsLawStep[], figures: AwaabsLawFigures): Day | null {
  const now = stagesOf(steps)
  const last = now.at(-1)
  if (!last) return null
  // Whoever becomes aware before the law knows the hazard is bound by other duties, not by its days.
  if (!isKnownHazard(hazardOf(steps), now[0]!.on)) return null
  const emergency = emergencySince(steps)
  // Hours run through nights and weekends: told by days, they end on the day on which the last of them is.
  if (emergency !== undefined && (last.status === 'Investigation' || last.status === 'Repairs'))
    return dayAfter(emergency, Math.ceil(figures.emergency / 24))
  const ended = investigatedOn(now)
  if (ended === undefined) return workingDaysAfter(last.on, figures.investigation)
  if (last.status === 'Summary') return workingDaysAfter(ended, figures.summary)
  return last.status === 'Repairs' ? workingDaysAfter(ended, figures.repairs) : null
}

/** The day by which preventive works have to begin; null before the investigation ended, and where the law names none. */
export function preventiveWorksDue(steps: readonly AwaabsLawStep[], figures: AwaabsLawFigures): Day | null {
  const now = stagesOf(steps)
  const ended = investigatedOn(now)
  if (ended === undefined || !isKnownHazard(hazardOf(steps), now[0]!.on)) return null
  return dayAfter(ended, 7 * figures.preventive)
}

/** The first day on which a step that is due is said to be near. */
export const nearTo = (dueOn: Day, { notice }: Pick<AwaabsLawFigures, 'notice'>): Day =>
  workingDaysBefore(dueOn, notice)

/**
 * What is wrong with the day of a step, told by the steps as they are known; undefined where nothing is. `corrected` is a step of
 * the open case whose true day it is, without it the step comes after all others.
 */
export function stepDayFault<E extends AwaabsLawEntry>(
  steps: readonly E[],
  { on, today, corrected }: { on: Day; today: Day; corrected?: E | undefined },
): string | undefined {
  const fault = testDayFault(on, today)
  if (fault) return fault
  const at = corrected ? steps.findIndex(({ id }) => id === corrected.id) : steps.length
  // What was said of a step later has its own day, which binds nobody.
  const before = at > 0 ? steps[beginOf(steps, at - 1)] : undefined
  const after = corrected && steps.slice(at).find(({ status }) => status !== corrected.status)
  if (before && on < before.on)
    return `A step cannot be earlier than the one before it, which was on ${dayText(before.on)}`
  return after && on > after.on
    ? `A step cannot be later than the one after it, which was on ${dayText(after.on)}`
    : undefined
}

/** Where the unbroken run of one status begins that has a step. */
const beginOf = (steps: readonly AwaabsLawStep[], at: number) =>
  steps.findLastIndex(({ status }, before) => before < at && status !== steps[at]?.status) + 1

/** The steps through which a case goes, in their order. */
export const awaabsLawSteps = awaabsLawStatuses.filter((status) => status !== 'None')
