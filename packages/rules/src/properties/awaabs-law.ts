import { workingDaysBefore } from '../calendar/bank-holidays.ts'
import type { Day } from '../calendar/days.ts'
import { dayText } from '../calendar/days.ts'
import type { AwaabsLawStatus } from './details.ts'
import { awaabsLawStatuses, testDayFault } from './details.ts'

/** The time allowed for each step. A client may be stricter than the law, never laxer. */
export interface AwaabsLawFigures {
  /** Working days from the day of awareness. */
  investigation: number
  /** Working days from the end of the investigation until the written summary is sent. */
  summary: number
  /** Working days from the end of the investigation until the property is made safe. */
  repairs: number
  /** Hours from the discovery of an emergency until it is investigated and the property made safe. */
  emergency: number
  /** Weeks from the end of the investigation until preventive works begin. */
  preventive: number
  /** Working days before a deadline from which it is near. Not defined by the law. */
  notice: number
}

/**
 * The Hazards in Social Housing (Prescribed Requirements) (England) Regulations 2025 (SI 2025/1042): a significant
 * hazard is investigated in 10 working days, its summary sent in 3 and safety work done in 5 after the investigation;
 * preventive works begin in 12 weeks; an emergency is investigated and made safe in 24 hours, whatever day it is. The
 * day of awareness is day 0; weekends and bank holidays of England do not count.
 */
export const defaultAwaabsLaw: AwaabsLawFigures = {
  ...{ investigation: 10, summary: 3, repairs: 5 },
  ...{ emergency: 24, preventive: 12, notice: 2 },
}

/** The range and unit of each figure; the maximum is the limit of the law. */
export const awaabsLawLimits = {
  investigation: { least: 1, most: defaultAwaabsLaw.investigation, unit: 'working days' },
  summary: { least: 1, most: defaultAwaabsLaw.summary, unit: 'working days' },
  repairs: { least: 1, most: defaultAwaabsLaw.repairs, unit: 'working days' },
  emergency: { least: 1, most: defaultAwaabsLaw.emergency, unit: 'hours' },
  preventive: { least: 1, most: defaultAwaabsLaw.preventive, unit: 'weeks' },
  notice: { least: 0, most: 20, unit: 'working days' },
} as const satisfies Record<keyof AwaabsLawFigures, { least: number; most: number; unit: string }>
export const awaabsLawFigureNames = Object.keys(awaabsLawLimits) as (keyof AwaabsLawFigures)[]

/** The validation error of a figure; undefined if there is none. */
export function awaabsLawFigureFault(name: keyof AwaabsLawFigures, value: number): string | undefined {
  const { least, most, unit } = awaabsLawLimits[name]
  if (Number.isInteger(value) && value >= least && value <= most) return undefined
  return name !== 'notice' && value > most
    ? `Enter ${least} to ${most} ${unit}: the law allows no more than ${most}`
    : `Enter ${least} to ${most} ${unit}`
}

/** A client's figures limited to the law: figures stored before the limit existed are reduced to it. */
export function withinLaw(own: { readonly [Name in keyof AwaabsLawFigures]?: number | undefined }): AwaabsLawFigures {
  const within = awaabsLawFigureNames.flatMap((name) => {
    const value = own[name]
    return typeof value === 'number' && Number.isInteger(value) && value >= awaabsLawLimits[name].least
      ? [[name, Math.min(value, awaabsLawLimits[name].most)]]
      : []
  })
  return { ...defaultAwaabsLaw, ...Object.fromEntries(within) }
}

export const awaabsLawHazardNames = [
  'Damp and mould',
  'Excess cold',
  'Excess heat',
  'Falls',
  'Structural collapse',
  'Fire or explosion',
  'Electrical',
  'Hygiene or food safety',
  'Another hazard',
] as const
export type AwaabsLawHazard = (typeof awaabsLawHazardNames)[number]

/** Hazards that sensors measure: the case can store the readings of a period. */
export const measuredHazards: readonly AwaabsLawHazard[] = ['Damp and mould', 'Excess cold', 'Excess heat']

/** The day from which the regulations cover a hazard, as configured in the installation; null if not set yet. */
export interface HazardCoverage {
  from: Day | null
  /** Where the day is published. */
  source: string
}
export type Coverage = Readonly<Partial<Record<AwaabsLawHazard, HazardCoverage>>>

/** Whether a hazard is covered on a day. A case without a hazard counts as covered. */
export function isCovered(hazard: AwaabsLawHazard | null, on: Day, coverage: Coverage): boolean {
  if (hazard === null) return true
  const from = coverage[hazard]?.from ?? null
  return from !== null && from <= on
}

/** A step of a case, with the day on which it began. */
export interface AwaabsLawStep {
  status: AwaabsLawStatus
  on: Day
  /** The instant in ms, if the time of day is known: emergencies count hours. */
  at?: number | null
  /** Set with any of the steps, for the whole case. */
  hazard?: AwaabsLawHazard | null
  /** Set if this step changes whether it is an emergency; valid until another step sets it. */
  emergency?: boolean | null
}

/** An entry in the history of a property's cases. Entries are never changed. */
export interface AwaabsLawEntry extends AwaabsLawStep {
  id: string
  /** The entry whose day this one corrects. */
  corrects?: string | null
  /** The entry that this one withdraws: a mistaken closing, or a step of an undone import. */
  undoes?: string | null
  /** The reason for closing, reopening or correcting. */
  reason?: string | null
  /** When it was entered, in ms. */
  enteredAt?: number
}

/** The steps as known now: with corrected days, without withdrawn ones. */
export function correctedSteps<E extends AwaabsLawEntry>(entries: readonly E[]): E[] {
  const known = new Map<string, E>()
  const undone = new Set<string>()
  for (const entry of entries) {
    if (entry.corrects) known.set(entry.corrects, entry)
    if (entry.undoes) undone.add(entry.undoes)
  }
  return entries
    .filter(({ id, corrects, undoes }) => !corrects && !undoes && !undone.has(id))
    .map((entry) => {
      const truth = known.get(entry.id)
      return truth ? { ...entry, on: truth.on, at: truth.at ?? null } : entry
    })
}

/** The steps of the open case in order: those after the last closing. */
export function openCase<S extends AwaabsLawStep>(steps: readonly S[]): S[] {
  return steps.slice(steps.findLastIndex(({ status }) => status === 'None') + 1)
}

/** The same with each status once, at its beginning: additions to a step are entered as that step again. */
export const stagesOf = <S extends AwaabsLawStep>(steps: readonly S[]): S[] =>
  openCase(steps).filter(({ status }, at, all) => status !== all[at - 1]?.status)

/** The current hazard of the open case; null if never set. */
export const hazardOf = (steps: readonly AwaabsLawStep[]): AwaabsLawHazard | null =>
  openCase(steps).findLast(({ hazard }) => hazard)?.hazard ?? null

/** The step at which the open case became an emergency; undefined if it is not one. */
export function emergencyOf<S extends AwaabsLawStep>(steps: readonly S[]): S | undefined {
  const set = openCase(steps).filter(({ emergency }) => typeof emergency === 'boolean')
  return set[set.findLastIndex(({ emergency }) => !emergency) + 1]
}

/** The known facts about the open case, apart from its status. */
export interface KnownOfCase {
  begun: Day
  /** The start of its step. */
  since: Day
  hazard: AwaabsLawHazard | null
  emergency: Day | null
}

/** The facts from its steps; null if no case is open. */
export function knownOfCase(steps: readonly AwaabsLawStep[]): KnownOfCase | null {
  const stages = stagesOf(steps)
  const [first] = stages
  const emergency = emergencyOf(steps)?.on ?? null
  return first ? { begun: first.on, since: stages.at(-1)!.on, hazard: hazardOf(steps), emergency } : null
}

/** A case of a property; a closed one ends with its closing. */
export interface LawCase<E extends AwaabsLawEntry = AwaabsLawEntry> {
  /** The id of the entry that opened it. */
  id: string
  /** Its steps as known, without the closing. */
  steps: E[]
  closing: E | null
  /** All its entries, including corrections and withdrawn closings. */
  entries: E[]
}

/** The cases of a property, in order. */
export function casesOf<E extends AwaabsLawEntry>(entries: readonly E[]): LawCase<E>[] {
  const cases: LawCase<E>[] = []
  let open: LawCase<E> | undefined
  for (const step of correctedSteps(entries)) {
    if (step.status === 'None') {
      if (open) open.closing = step
      open = undefined
    } else if (open) open.steps.push(step)
    else cases.push((open = { id: step.id, steps: [step], closing: null, entries: [] }))
  }
  const caseOf = new Map<string, LawCase<E>>()
  for (const one of cases)
    for (const { id } of [...one.steps, ...(one.closing ? [one.closing] : [])]) caseOf.set(id, one)
  let last: LawCase<E> | undefined
  for (const entry of entries) {
    // A withdrawn closing and its withdrawal lie between steps of the same case.
    last = caseOf.get(entry.corrects ?? entry.id) ?? last
    last?.entries.push(entry)
  }
  return cases
}

/** The first day on which a deadline is shown as near. */
export const nearTo = (dueOn: Day, { notice }: Pick<AwaabsLawFigures, 'notice'>): Day =>
  workingDaysBefore(dueOn, notice)

/** The steps of a case, in order. */
export const awaabsLawSteps = awaabsLawStatuses.filter((status) => status !== 'None')
const rankOf = (status: AwaabsLawStatus) => awaabsLawSteps.indexOf(status as (typeof awaabsLawSteps)[number])

/**
 * When a case passed a step for good: the first of the last unbroken run of later steps. Going back reopens the step,
 * and continuing closes it again with the day then given.
 */
export function completionOf<S extends AwaabsLawStep>(steps: readonly S[], status: AwaabsLawStatus): S | undefined {
  return steps[steps.findLastIndex((step) => rankOf(step.status) <= rankOf(status)) + 1]
}

/** The step with which a case reached a status; for a skipped status, the step after it. Undefined if it never did. */
export const arrivalOf = <S extends AwaabsLawStep>(steps: readonly S[], status: AwaabsLawStatus): S | undefined => {
  const before = awaabsLawSteps[rankOf(status) - 1]
  return before ? completionOf(steps, before) : steps[0]
}

/** A day given by an entry of the case, with its label. */
interface Dated {
  status: AwaabsLawStatus
  on: Day
  at?: number | null
}

/** The validation error of the resulting days of a case; undefined if no step is before the one preceding it. */
export function daysFault(steps: readonly Dated[], today: Day): string | undefined {
  const [first] = steps
  for (const step of steps) {
    const fault = testDayFault(step.on, today)
    if (fault) return fault
    if (first && step.on < first.on) return earlierThan('awareness', first.on)
  }
  let before: Dated | undefined
  const open = steps.filter(({ status }) => status !== 'None')
  for (const status of awaabsLawSteps) {
    const arrival = arrivalOf(open, status)
    if (!arrival) continue
    if (before && arrival.on < before.on) return earlierThan(before.status, before.on)
    before = arrival
  }
  const closing = steps.findLast(({ status }) => status === 'None')
  return closing && before && closing.on < before.on ? earlierThan(before.status, before.on) : undefined
}

const earlierThan = (what: string, day: Day) =>
  `A step cannot be earlier than the one before it: ${what} was on ${dayText(day)}`
