import type { Day } from '../calendar/days.ts'
import { dayAfter, dayText } from '../calendar/days.ts'
import type { RecordStatus, RecordType } from './records.ts'

/** The figures from which due dates of a record type are calculated; a client may change the defaults. */
export interface Figures {
  /** Months from a check to the next. */
  months: number
  /** Months before the deadline in which a check keeps its anniversary; 0 if every check starts a new period. */
  window: number
  /** Days before the deadline from which it counts as near, if earlier than two months before it. */
  notice: number
}

/**
 * Gas: yearly, and a check in the last two calendar months before the deadline keeps the date (Gas Safety (Installation
 * and Use) Regulations 1998, regulations 36 and 36A; hse.gov.uk/gas/landlords). Water: inhibitor and cleanliness yearly
 * (BS 7593:2019), counted from each treatment.
 */
export const defaultFigures: Record<RecordType, Figures> = {
  GasSafety: { months: 12, window: 2, notice: 30 },
  WaterTreatment: { months: 12, window: 0, notice: 30 },
}

/** The limits within which a client may change the figures. */
export const figureLimits = {
  months: { least: 1, most: 120 },
  window: { least: 0, most: 12 },
  notice: { least: 0, most: 365 },
} as const satisfies Record<keyof Figures, { least: number; most: number }>

/** The validation error of figures; undefined if there is none. */
export function figuresFault(figures: Figures): string | undefined {
  for (const name of ['months', 'window', 'notice'] as const) {
    const { least, most } = figureLimits[name]
    const value = figures[name]
    if (!Number.isInteger(value) || value < least || value > most)
      return `${name} must be a whole number from ${least} to ${most}`
  }
  return figures.window < figures.months ? undefined : 'window must be shorter than months'
}

/** The same day `months` later, or earlier if negative; the last day of the month if it has no such day. */
export function monthsAfter(day: Day, months: number): Day {
  const [year = 0, month = 1, date = 1] = day.split('-').map(Number)
  const last = new Date(Date.UTC(year, month + months, 0)).getUTCDate()
  return new Date(Date.UTC(year, month - 1 + months, Math.min(date, last))).toISOString().slice(0, 10)
}

/** The facts about a check that due dates need. */
export interface Check {
  day: Day
  status: RecordStatus
}

/** The deadline after a passed check; `before` is the previous deadline, if any. */
export function deadlineAfter(check: Day, before: Day | undefined, { months, window }: Figures): Day {
  return before !== undefined && keepsDate(check, before, { window })
    ? monthsAfter(before, months)
    : monthsAfter(check, months)
}

/**
 * The previous deadline for a check entered on a property, among the known ones: the current one if the check may fall
 * in its window, or the one before it if only the date of the last check was corrected. Undefined if it keeps no
 * anniversary.
 */
export const deadlineBefore = (check: Day, known: readonly (Day | null)[], figures: Figures): Day | undefined =>
  known.find((deadline): deadline is Day => deadline !== null && keepsDate(check, deadline, figures))

/** Whether a check keeps the anniversary: it was done in the window before the deadline. */
export function keepsDate(check: Day, deadline: Day, { window }: Pick<Figures, 'window'>): boolean {
  return window > 0 && check >= monthsAfter(deadline, -window) && check <= deadline
}

/** The deadline after each check, in order; undefined until one has passed. */
export function deadlines(checks: readonly Check[], figures: Figures): (Day | undefined)[] {
  let deadline: Day | undefined
  return checks.map(({ day, status }) => {
    // A failed check never renews the deadline.
    if (status === 'Pass') deadline = deadlineAfter(day, deadline, figures)
    return deadline
  })
}

/**
 * The states of a recurring check, worst last. `Stated`: the date of the last check was entered without a certificate.
 * `NeverChecked`: there is a gas appliance but no record. `NoRecord`: no record is required.
 */
export const complianceStates = ['NoRecord', 'InDate', 'Stated', 'Due', 'Overdue', 'NeverChecked', 'Failed'] as const
export type ComplianceState = (typeof complianceStates)[number]

/** Severity of a state: higher is worse. */
export const complianceRank = (state: ComplianceState | null): number =>
  state === null ? 0 : complianceStates.indexOf(state)

/** The group of each state on chips, lists and the dashboard. Only a record within its date is Passed. */
export const complianceGroups = {
  NoRecord: 'None',
  InDate: 'Passed',
  Stated: 'Warning',
  Due: 'Warning',
  Overdue: 'Failed',
  NeverChecked: 'Failed',
  Failed: 'Failed',
} as const satisfies Record<ComplianceState, 'None' | 'Passed' | 'Warning' | 'Failed'>

/** The states that require a visit. */
export const pressingStates = ['Due', 'Overdue', 'NeverChecked', 'Failed'] as const satisfies ComplianceState[]

/** The compliance of one boiler for one record type. */
export interface Standing {
  /** The deadline after the last passed check; null if none has passed. */
  dueOn: Day | null
  /** The day of the last check if it failed. */
  failedOn: Day | null
}

/** The state after the given checks, in order; checks on the same day are in the order of recording. */
export function standingOf(checks: readonly Check[], figures: Figures): Standing {
  const last = checks.at(-1)
  return { dueOn: deadlines(checks, figures).at(-1) ?? null, failedOn: last?.status === 'Fail' ? last.day : null }
}

/** The state on a day. A failed check applies until one passes, regardless of due dates. */
export function stateOn({ dueOn, failedOn }: Standing, today: Day, figures: Figures): ComplianceState {
  if (failedOn !== null) return 'Failed'
  return dueOn === null ? 'NoRecord' : stateOfDeadline(dueOn, nearTo(dueOn, figures), today)
}

/** Calendar months before a due date from which it is near: the window in which a gas check keeps its anniversary. */
const nearMonths = 2

/**
 * The first day on which a deadline is near: two months before it, or earlier if the client has set more days of
 * notice. If checks recur within two months, only the notice counts.
 */
export function nearTo(dueOn: Day, { notice, months }: Pick<Figures, 'notice' | 'months'>): Day {
  const [byNotice, byMonths] = [dayAfter(dueOn, -notice), monthsAfter(dueOn, -nearMonths)]
  return months > nearMonths && byMonths < byNotice ? byMonths : byNotice
}

/** The state of a deadline on a day; `near` is the first day on which it is near. */
export function stateOfDeadline(dueOn: Day, near: Day | null, today: Day): 'InDate' | 'Due' | 'Overdue' {
  if (today > dueOn) return 'Overdue'
  return near !== null && today >= near ? 'Due' : 'InDate'
}

/** The first day on which the state changes without a new record; null if it never does. */
export function nextTurn(standing: Standing, today: Day, figures: Figures): Day | null {
  const state = stateOn(standing, today, figures)
  if (state === 'InDate') return nearTo(standing.dueOn!, figures)
  return state === 'Due' ? dayAfter(standing.dueOn!, 1) : null
}

/** The state in a word, for lists and filters. */
export const stateWords: Record<ComplianceState, string> = {
  NoRecord: 'No record',
  InDate: 'In date',
  Stated: 'Stated, no certificate',
  Due: 'Due',
  Overdue: 'Overdue',
  NeverChecked: 'Never checked',
  Failed: 'Failed',
}

/** Whole days from one day to another. */
export function daysBetween(from: Day, to: Day): number {
  return Math.round((Date.parse(`${to}T00:00:00Z`) - Date.parse(`${from}T00:00:00Z`)) / 86_400_000)
}

/** The state for display: 'Due in 8 days', 'Overdue 4 days', 'Failed 12/11/2026'. */
export function stateText(standing: Standing, today: Day, figures: Figures): string {
  const state = stateOn(standing, today, figures)
  if (state === 'Failed') return `Failed ${dayText(standing.failedOn!)}`
  return state === 'Due' || state === 'Overdue' ? dueText(standing.dueOn!, today) : stateWords[state]
}

/** The time until a due date: 'Due in 8 days', 'Due today', 'Overdue 4 days'. */
export function dueText(dueOn: Day, today: Day): string {
  const left = daysBetween(today, dueOn)
  if (left < 0) return `Overdue ${daysText(-left)}`
  return left === 0 ? 'Due today' : `Due in ${daysText(left)}`
}

/** '1 day', '2 days'. */
export const daysText = (days: number) => `${days} ${days === 1 ? 'day' : 'days'}`
