import type { Day } from '../calendar/days.ts'
import { dayAfter, dayText } from '../calendar/days.ts'
import type { RecordStatus, RecordType } from './records.ts'

/** By what the due date of a type of record is found. Defaults, which an organisation may change. */
export interface Figures {
  /** Months from a check to the next. */
  months: number
  /** Months before the deadline in which a check keeps its date; 0 where every check begins anew. */
  window: number
  /** Days before the deadline from which it is near, where that is earlier than two months before it. */
  notice: number
}

/**
 * Gas: yearly, and a check in the last two calendar months before the deadline keeps the date (Gas Safety (Installation and
 * Use) Regulations 1998, regulations 36 and 36A; hse.gov.uk/gas/landlords). Water: inhibitor and cleanliness yearly (BS
 * 7593:2019), counted from each treatment.
 */
export const defaultFigures: Record<RecordType, Figures> = {
  GasSafety: { months: 12, window: 2, notice: 30 },
  WaterTreatment: { months: 12, window: 0, notice: 30 },
}

/** Within which an organisation may change the figures. */
export const figureLimits = {
  months: { least: 1, most: 120 },
  window: { least: 0, most: 12 },
  notice: { least: 0, most: 365 },
} as const satisfies Record<keyof Figures, { least: number; most: number }>

/** What is wrong with figures; undefined where nothing is. */
export function figuresFault(figures: Figures): string | undefined {
  for (const name of ['months', 'window', 'notice'] as const) {
    const { least, most } = figureLimits[name]
    const value = figures[name]
    if (!Number.isInteger(value) || value < least || value > most)
      return `${name} must be a whole number from ${least} to ${most}`
  }
  return figures.window < figures.months ? undefined : 'window must be shorter than months'
}

/** The same day some months later, or earlier for a negative count; the last of the month where it has no such day. */
export function monthsAfter(day: Day, months: number): Day {
  const [year = 0, month = 1, date = 1] = day.split('-').map(Number)
  const last = new Date(Date.UTC(year, month + months, 0)).getUTCDate()
  return new Date(Date.UTC(year, month - 1 + months, Math.min(date, last))).toISOString().slice(0, 10)
}

/** A check, as the due date asks for it. */
export interface Check {
  day: Day
  status: RecordStatus
}

/** The deadline that a passed check gives, after the deadline before it if there was one. */
export function deadlineAfter(check: Day, before: Day | undefined, { months, window }: Figures): Day {
  return before !== undefined && keepsDate(check, before, { window })
    ? monthsAfter(before, months)
    : monthsAfter(check, months)
}

/**
 * The deadline that a check of a home comes after, of those that are known: the one that stands, whose window it may be in, or the
 * one before it, where somebody only gives the last check another day. Undefined where it keeps the date of none.
 */
export const deadlineBefore = (check: Day, known: readonly (Day | null)[], figures: Figures): Day | undefined =>
  known.find((deadline): deadline is Day => deadline !== null && keepsDate(check, deadline, figures))

/** Whether a check on a day keeps the date of a deadline: it was done in the window that ends with it. */
export function keepsDate(check: Day, deadline: Day, { window }: Pick<Figures, 'window'>): boolean {
  return window > 0 && check >= monthsAfter(deadline, -window) && check <= deadline
}

/** The deadline that each check leaves behind it, in their order; undefined as long as none has passed. */
export function deadlines(checks: readonly Check[], figures: Figures): (Day | undefined)[] {
  let deadline: Day | undefined
  return checks.map(({ day, status }) => {
    // A failed check never renews.
    if (status === 'Pass') deadline = deadlineAfter(day, deadline, figures)
    return deadline
  })
}

/**
 * The state of a check that recurs, the worst last. `Stated`: someone entered the date of the last check, and no certificate proves it.
 * `NeverChecked`: there is a gas appliance and no record of it. `NoRecord`: nothing obliges anyone to keep one.
 */
export const complianceStates = ['NoRecord', 'InDate', 'Stated', 'Due', 'Overdue', 'NeverChecked', 'Failed'] as const
export type ComplianceState = (typeof complianceStates)[number]

/** How bad a state is: the higher the worse. */
export const complianceRank = (state: ComplianceState | null): number =>
  state === null ? 0 : complianceStates.indexOf(state)

/** The group of each state on chips, lists and the dashboard. Nothing but a record within its date is ever Passed. */
export const complianceGroups = {
  NoRecord: 'None',
  InDate: 'Passed',
  Stated: 'Warning',
  Due: 'Warning',
  Overdue: 'Failed',
  NeverChecked: 'Failed',
  Failed: 'Failed',
} as const satisfies Record<ComplianceState, 'None' | 'Passed' | 'Warning' | 'Failed'>

/** The states in which someone has to go there. */
export const pressingStates = ['Due', 'Overdue', 'NeverChecked', 'Failed'] as const satisfies ComplianceState[]

/** What its records say of one boiler and one type. */
export interface Standing {
  /** The last check that passed leaves this behind; null as long as none has. */
  dueOn: Day | null
  /** The day of the last check, where that failed. */
  failedOn: Day | null
}

/** What checks in their order, those of a day as they were recorded, come to. */
export function standingOf(checks: readonly Check[], figures: Figures): Standing {
  const last = checks.at(-1)
  return { dueOn: deadlines(checks, figures).at(-1) ?? null, failedOn: last?.status === 'Fail' ? last.day : null }
}

/** The state on a day. A failed check stays until one passes, whatever is due. */
export function stateOn({ dueOn, failedOn }: Standing, today: Day, figures: Figures): ComplianceState {
  if (failedOn !== null) return 'Failed'
  return dueOn === null ? 'NoRecord' : stateOfDeadline(dueOn, nearTo(dueOn, figures), today)
}

/** Calendar months before a due date from which it is near: the window in which a gas check keeps its anniversary. */
const nearMonths = 2

/**
 * The first day on which a deadline is near: two months before it, or earlier where the client asks for more days of notice. Where checks
 * recur within two months, only the notice counts.
 */
export function nearTo(dueOn: Day, { notice, months }: Pick<Figures, 'notice' | 'months'>): Day {
  const [byNotice, byMonths] = [dayAfter(dueOn, -notice), monthsAfter(dueOn, -nearMonths)]
  return months > nearMonths && byMonths < byNotice ? byMonths : byNotice
}

/** How a deadline stands on a day; `near` is the first day on which it is near. */
export function stateOfDeadline(dueOn: Day, near: Day | null, today: Day): 'InDate' | 'Due' | 'Overdue' {
  if (today > dueOn) return 'Overdue'
  return near !== null && today >= near ? 'Due' : 'InDate'
}

/** The first day on which the state will be another one by itself; null when it stays. */
export function nextTurn(standing: Standing, today: Day, figures: Figures): Day | null {
  const state = stateOn(standing, today, figures)
  if (state === 'InDate') return nearTo(standing.dueOn!, figures)
  return state === 'Due' ? dayAfter(standing.dueOn!, 1) : null
}

/** The state in a word, as lists and filters have it. */
export const stateWords: Record<ComplianceState, string> = {
  NoRecord: 'No record',
  InDate: 'In date',
  Stated: 'Stated, no certificate',
  Due: 'Due',
  Overdue: 'Overdue',
  NeverChecked: 'Never checked',
  Failed: 'Failed',
}

/** Whole days from one to another. */
export function daysBetween(from: Day, to: Day): number {
  return Math.round((Date.parse(`${to}T00:00:00Z`) - Date.parse(`${from}T00:00:00Z`)) / 86_400_000)
}

/** The state as people read it: 'Due in 8 days', 'Overdue 4 days', 'Failed 12/11/2026'. */
export function stateText(standing: Standing, today: Day, figures: Figures): string {
  const state = stateOn(standing, today, figures)
  if (state === 'Failed') return `Failed ${dayText(standing.failedOn!)}`
  return state === 'Due' || state === 'Overdue' ? dueText(standing.dueOn!, today) : stateWords[state]
}

/** How far a due date is: 'Due in 8 days', 'Due today', 'Overdue 4 days'. */
export function dueText(dueOn: Day, today: Day): string {
  const left = daysBetween(today, dueOn)
  if (left < 0) return `Overdue ${daysText(-left)}`
  return left === 0 ? 'Due today' : `Due in ${daysText(left)}`
}

/** A count of days in words. */
export const daysText = (days: number) => `${days} ${days === 1 ? 'day' : 'days'}`
