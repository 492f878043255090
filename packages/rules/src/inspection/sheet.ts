import type { Day, DayRange } from '../calendar/days.ts'
import { dayAfter } from '../calendar/days.ts'
import { dueEvery } from '../lighting/overdue.ts'
import type { LightRunState } from '../lighting/runs.ts'
import type { TestResult, TestType } from '../lighting/tests.ts'
import { minutesOf } from '../lighting/tests.ts'

/** The days that a sheet covers, both included. */
export type Period = Required<DayRange>

/** The log book data of the whole system (the research on the domain, section 2). Null if not entered. */
export interface LogBook {
  /** The responsible person for the lights. */
  responsible: string | null
  /** The certificate of completion: number, date and where it is kept. */
  certificate: string | null
  /** The central battery of the lights, and its location. */
  centralBattery: string | null
}

/** A test that a light reported, dated in the client's time zone. */
export interface HeldTest {
  type: TestType
  day: Day
  result: TestResult
}

/** A planned test without a result. */
export interface LostTest {
  type: TestType
  day: Day
  state: Extract<LightRunState, 'missed' | 'notStarted' | 'interrupted'>
  reason: string | null
}

/**
 * The outcome of a test. Unknown is `unknown`, never passed; `notDue` is for months partly outside the period and tests
 * still to come.
 */
export const outcomes = [
  'passed',
  'marginal',
  'failed',
  'waiting',
  'suppressed',
  'interrupted',
  'notStarted',
  'missed',
  'unknown',
  'notDue',
] as const
export type Outcome = (typeof outcomes)[number]

export const outcomeWords: Record<Outcome, string> = {
  passed: 'Passed',
  marginal: 'Marginal',
  failed: 'Failed',
  waiting: 'Not proven',
  suppressed: 'Suppressed',
  interrupted: 'Interrupted',
  notStarted: 'Not started',
  missed: 'Missed',
  unknown: 'unknown',
  notDue: '–',
}

/** Letters for a table of twelve months; followed by the day of the month if known. */
export const outcomeLetters: Record<Outcome, string> = {
  passed: 'P',
  marginal: 'M',
  failed: 'F',
  waiting: 'W',
  suppressed: 'S',
  interrupted: 'I',
  notStarted: 'N',
  missed: 'X',
  unknown: 'unknown',
  notDue: '–',
}

export function outcomeOf(result: TestResult): Outcome {
  switch (result) {
    case 'Passed':
      return 'passed'
    case 'Degraded':
      return 'marginal'
    case 'Failed':
      return 'failed'
    case 'Suppressed':
      return 'suppressed'
    case 'Indeterminate':
    case 'AwaitingAnalysis':
    case 'AwaitingReview':
      return 'waiting'
  }
}

/**
 * When a light failed in a test, in ms since the epoch: at once in a flick test, when it went out in a longer one. Null
 * if unknown: it stayed lit to the end with a failed part, or did not report its duration.
 */
export function failedAt(test: { type: TestType; at: number; minutes: number | null }): number | null {
  const asked = minutesOf[test.type]
  if (asked === 0) return test.at
  return test.minutes !== null && test.minutes < asked ? test.at + test.minutes * 60_000 : null
}

/** Whether a result is conclusive; suppressed and pending ones are not. */
const isConclusive = (outcome: Outcome) => outcome === 'passed' || outcome === 'marginal' || outcome === 'failed'

/** The outcome and day of a light's test in a month or year. */
export interface Square {
  outcome: Outcome
  day: Day | null
}

/** One year of a light: its months from January, and its full-duration test. */
export interface YearOfLight {
  year: number
  months: Square[]
  full: Square
}

interface History {
  held: readonly HeldTest[]
  lost: readonly LostTest[]
}

/** The years of a light in a period, in order. `today` may be before the end of the period. */
export function yearsOfLight({ held, lost }: History, period: Period, today: Day): YearOfLight[] {
  const [first, last] = [Number(period.from.slice(0, 4)), Number(period.to.slice(0, 4))]
  const within = <T extends { day: Day }>(all: readonly T[]) =>
    Map.groupBy(
      all.filter(({ day }) => day >= period.from && day <= period.to),
      ({ day }) => day.slice(0, 7),
    )
  const [heldIn, lostIn] = [within(held), within(lost)]
  return Array.from({ length: last - first + 1 }, (_, at) => {
    const year = first + at
    const names = Array.from({ length: 12 }, (_none, month) => `${year}-${String(month + 1).padStart(2, '0')}`)
    const months = names.map((name) => {
      const days = { from: `${name}-01`, to: dayAfter(dayAfter(`${name}-01`, 31).slice(0, 8) + '01', -1) }
      return monthly({ held: heldIn.get(name) ?? [], lost: lostIn.get(name) ?? [] }, days, period, today)
    })
    const full = <T extends { type: TestType }>(by: Map<string, T[]>) =>
      names.flatMap((name) => by.get(name) ?? []).filter(({ type }) => type === 'T180')
    const year180 = { held: full(heldIn), lost: full(lostIn) }
    return {
      year,
      months,
      full: squareOf(year180, { from: `${year}-01-01`, to: `${year}-12-31` }, period, today, 'last'),
    }
  })
}

/**
 * The function test of the month. If there is none, a longer test counts instead, because it also shows whether the
 * lamp lights.
 */
function monthly(history: History, days: Period, period: Period, today: Day): Square {
  const own = <T extends { type: TestType }>(all: readonly T[]) => all.filter(({ type }) => type === 'T0')
  const [held, lost] = [own(history.held), own(history.lost)]
  return squareOf(held.length ? { held, lost } : { ...history, lost }, days, period, today, 'worst')
}

const worstFirst: readonly Outcome[] = ['failed', 'marginal', 'passed', 'waiting', 'suppressed']

/**
 * The result of a month or year. Of several conclusive tests, `which` selects the worst or the newest; of tests without
 * a result, the last is used. Without a test, it is the reason for a missed one; without any record, it is unknown once
 * the time is over.
 */
function squareOf({ held, lost }: History, days: Period, period: Period, today: Day, which: 'worst' | 'last'): Square {
  const squares = held
    .map(({ result, day }) => ({ outcome: outcomeOf(result), day }))
    .toSorted((a, b) => (a.day < b.day ? 1 : a.day > b.day ? -1 : 0))
  const conclusive = squares.filter(({ outcome }) => isConclusive(outcome))
  const rank = ({ outcome }: Square) => worstFirst.indexOf(outcome)
  const chosen = which === 'last' ? conclusive[0] : conclusive.toSorted((a, b) => rank(a) - rank(b))[0]
  if (chosen) return chosen
  if (squares.length > 0) return squares.toSorted((a, b) => rank(a) - rank(b))[0]!
  const missed = lost.toSorted((a, b) => (a.day < b.day ? 1 : -1))[0]
  if (missed) return { outcome: missed.state, day: missed.day }
  // For a month partly outside the period, the test may have been on another day.
  const isWhole = days.from >= period.from && days.to <= period.to
  return { outcome: isWhole && days.to < today ? 'unknown' : 'notDue', day: null }
}

export type Duty = keyof typeof dueEvery
export const duties = Object.keys(dueEvery) as Duty[]
export const dutyWords: Record<Duty, string> = { monthly: 'Monthly test', yearly: 'Yearly test (T180)' }

/** Days examined before a period, so that a gap that began there is found in full. */
export const lookBack = dueEvery.yearly.days + dueEvery.yearly.grace

/** A period in which a due test is not on record. */
export interface Gap {
  duty: Duty
  /** The day of the previous test, or the first examined day. */
  from: Day
  /** The day of the next test, or the last day of the period. */
  to: Day
  days: number
  /** Whether the gap begins with a test; otherwise nothing is known about the time before. */
  isAfterTest: boolean
  /** Planned tests without a result in this time. */
  lost: LostTest[]
}

/** The gaps of a light: longer than allowed between two tests, or without any test. */
export function gapsOf({ held, lost }: History, period: Period, today: Day): Gap[] {
  const end = period.to < today ? period.to : today
  return duties.flatMap((duty) => {
    const counts = ({ type }: { type: TestType }) => duty === 'monthly' || type === 'T180'
    const days = held
      .filter((test) => counts(test) && isConclusive(outcomeOf(test.result)) && test.day <= end)
      .map(({ day }) => day)
      .toSorted()
    const before = days.findLast((day) => day < period.from)
    const inside = days.filter((day) => day >= period.from)
    const { days: every, grace } = dueEvery[duty]
    const points = [before ?? period.from, ...inside, end]
    return points.slice(1).flatMap((to, at): Gap[] => {
      const from = points[at]!
      const apart = daysBetween(from, to)
      const isAfterTest = at > 0 || before !== undefined
      const isNever = !isAfterTest && inside.length === 0 && from <= to
      if (apart <= every + grace && !(isNever && duty === 'yearly')) return []
      const inGap = lost.filter((one) => counts(one) && one.day >= from && one.day <= to)
      return [{ duty, from, to, days: apart, isAfterTest, lost: inGap.toSorted((a, b) => (a.day < b.day ? -1 : 1)) }]
    })
  })
}

/** Whole days from one day to another. */
export function daysBetween(from: Day, to: Day): number {
  return Math.round((Date.parse(to) - Date.parse(from)) / 86_400_000)
}

/** The period of `years` years that ends with a day. */
export function yearsTo(to: Day, years: number): Period {
  const [year, month, day] = to.split('-').map(Number) as [number, number, number]
  return { from: new Date(Date.UTC(year - years, month - 1, day + 1)).toISOString().slice(0, 10), to }
}

/** A request for sheets of several buildings. */
export interface SheetsOrder extends Period {
  /** Null for all buildings with lights that the person sees. */
  buildingIds: readonly string[] | null
  format: 'pdf' | 'xlsx'
}

/** Maximum years in one sheet. */
export const mostYears = 20

/** The validation error of a period; undefined if there is none. */
export function periodFault({ from, to }: Period, today: Day): string | undefined {
  if (to < from) return 'The last day is before the first'
  if (to > today) return 'The period cannot include future days'
  return Number(to.slice(0, 4)) - Number(from.slice(0, 4)) > mostYears
    ? `A sheet can cover at most ${mostYears} years`
    : undefined
}
