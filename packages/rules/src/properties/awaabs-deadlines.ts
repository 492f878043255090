import { workingDaysAfter, workingDaysBetween } from '../calendar/bank-holidays.ts'
import type { Day } from '../calendar/days.ts'
import { dayAfter, dayAt, endOfDay, startOfDay } from '../calendar/days.ts'
import type { AwaabsLawEntry, AwaabsLawFigures, AwaabsLawStep, Coverage, LawCase } from './awaabs-law.ts'
import { awaabsLawSteps, casesOf, completionOf, defaultAwaabsLaw, hazardOf, isCovered } from './awaabs-law.ts'

/** The steps with a statutory deadline. */
export const deadlineSteps = ['Investigation', 'Summary', 'Repairs'] as const
export type DeadlineStep = (typeof deadlineSteps)[number]

/** A due time: the end of a day, or an instant in ms on that day. */
export interface Due {
  on: Day
  at: number | null
}

export interface LawDeadline {
  step: DeadlineStep
  /** Whether it is the deadline of an emergency, in hours. */
  isEmergency: boolean
  due: Due
  /** The statutory due time if the client is stricter; null if both are equal. */
  lawDue: Due | null
  /** If both the emergency and the usual deadline apply: the later one, which is not binding. */
  otherDue: Due | null
  /** When the step was completed; null if it is not. */
  done: Due | null
  /** When the case was closed without completing it. */
  ended: Due | null
  /** Set if it was missed as the case was known then, and an entry or new figures have moved the deadline since. */
  moved: { at: number; reason: string | null } | null
}

/** The figures of a client and the end of their validity, in ms; null for the current ones. */
export interface FiguresInForce {
  until: number | null
  figures: AwaabsLawFigures
}

export interface LawContext {
  /** The figures of the client over time, oldest first; the last are the current ones. */
  figures: readonly FiguresInForce[]
  coverage: Coverage
  zone: string
}

/** The instant from which a deadline is late, in ms: a day is due until its end. */
export const lateFrom = ({ on, at }: Due, zone: string): number => at ?? startOfDay(dayAfter(on, 1), zone)

/** The latest possible time of an action, in ms: without a time of day, the end of its day. */
const latestOf = ({ on, at }: Due, zone: string): number => at ?? endOfDay(on, zone)
/**
 * The earliest possible time. An emergency without a time of day counts from the start of its day, which is never laxer
 * than the law.
 */
const earliestOf = ({ on, at }: { on: Day; at?: number | null }, zone: string): number => at ?? startOfDay(on, zone)

/** Whether a deadline was missed, or is missed by now. */
export function isMissed({ due, done, ended }: Pick<LawDeadline, 'due' | 'done' | 'ended'>, now: number, zone: string) {
  const end = done ?? ended
  if (end && due.at === null) return end.on > due.on
  return (end ? latestOf(end, zone) : now) >= lateFrom(due, zone)
}

/** Whether a deadline is running: neither done nor ended nor moved. */
export const isRunning = ({ done, ended, moved }: LawDeadline): boolean => !done && !ended && !moved

/** The lateness of a deadline: ms for emergencies, otherwise working days of England. */
export function latenessOf(
  deadline: Pick<LawDeadline, 'due' | 'done' | 'ended'>,
  now: number,
  zone: string,
): { ms: number } | { days: number } | undefined {
  if (!isMissed(deadline, now, zone)) return undefined
  const { due, done, ended } = deadline
  const end = done ?? ended
  if (due.at !== null) return { ms: (end ? latestOf(end, zone) : now) - due.at }
  // Due on Friday and done on Saturday is late as well, by at least a day.
  return { days: Math.max(1, workingDaysBetween(due.on, end ? end.on : dayAt(now, zone))) }
}

const hour = 3_600_000
const dueOfDay = (on: Day): Due => ({ on, at: null })
const asDue = ({ on, at }: AwaabsLawStep): Due => ({ on, at: at ?? null })
const sameDue = (a: Due, b: Due) => a.on === b.on && a.at === b.at
const rank = (status: AwaabsLawStep['status']) => awaabsLawSteps.indexOf(status as (typeof awaabsLawSteps)[number])

/** An emergency: when it was found and lifted, and after how many steps of the case it was entered. */
interface Emergency {
  found: number
  lifted: number | null
  entered: number
}

function emergenciesOf(steps: readonly AwaabsLawStep[], zone: string): Emergency[] {
  const all: Emergency[] = []
  let open: Emergency | undefined
  for (const [entered, step] of steps.entries()) {
    if (step.emergency === true && !open) all.push((open = { found: earliestOf(step, zone), lifted: null, entered }))
    else if (step.emergency === false && open) {
      open.lifted = latestOf(asDue(step), zone)
      open = undefined
    }
  }
  return all
}

/** The first day on which the investigation ended: reopening it moves none of the deadlines that it started. */
function investigatedOn(steps: readonly AwaabsLawStep[]): Day | undefined {
  const ends = steps.filter(({ status }, at) => rank(status) > 0 && (at === 0 || rank(steps[at - 1]!.status) === 0))
  return ends.map(({ on }) => on).toSorted()[0]
}

/**
 * The deadlines of a case as known. A finished deadline keeps the figures of its time; `inForce` returns those at an
 * instant in ms, or the current ones.
 */
function deadlinesBy(
  { steps, closing }: Pick<LawCase, 'steps' | 'closing'>,
  inForce: (at: number | null) => AwaabsLawFigures,
  { coverage, zone }: Pick<LawContext, 'coverage' | 'zone'>,
): LawDeadline[] {
  const [aware] = steps
  // A landlord who became aware before the law covered the hazard has other duties, not these deadlines.
  if (!aware || !isCovered(hazardOf(steps), aware.on, coverage)) return []
  const investigated = investigatedOn(steps)
  const usual = (step: DeadlineStep, by: AwaabsLawFigures): Due | null => {
    if (step === 'Investigation') return dueOfDay(workingDaysAfter(aware.on, by.investigation))
    if (investigated === undefined) return null
    return dueOfDay(workingDaysAfter(investigated, step === 'Summary' ? by.summary : by.repairs))
  }
  const emergencies = emergenciesOf(steps, zone)
  const hours = (found: number, by: AwaabsLawFigures): Due => {
    const at = found + by.emergency * hour
    return { on: dayAt(at, zone), at }
  }
  // An emergency lifted before its hours were over needs nothing more; one lifted later was missed.
  const binds = ({ found, lifted }: Emergency) => lifted === null || lifted >= found + inForce(lifted).emergency * hour
  const ended = closing ? asDue(closing) : null

  function build(step: DeadlineStep, done: AwaabsLawStep | undefined, normal: boolean, found: number[]) {
    const dues = (by: AwaabsLawFigures) => {
      const day = normal ? usual(step, by) : null
      const [first] = found.toSorted((a, b) => a - b)
      const timed = first === undefined ? null : hours(first, by)
      return { day, timed }
    }
    const over = done ? asDue(done) : ended
    const { day, timed } = dues(inForce(over && latestOf(over, zone)))
    const isEmergency = timed !== null && (day === null || lateFrom(timed, zone) < lateFrom(day, zone))
    const due = isEmergency ? timed : day
    if (!due) return undefined
    const law = dues(defaultAwaabsLaw)
    const lawDue = (isEmergency ? law.timed : law.day)!
    const deadline: LawDeadline = {
      ...{ step, isEmergency, due, lawDue: sameDue(lawDue, due) ? null : lawDue },
      otherDue: isEmergency ? day : timed,
      done: done ? asDue(done) : null,
      ended: done ? null : ended,
      moved: null,
    }
    return deadline
  }

  return deadlineSteps.flatMap((step) => {
    // An emergency found after the step was completed starts it again, with its own hours: only making safe is
    // repeated.
    const isOver = ({ entered }: Emergency) => entered > 0 && rank(steps[entered]!.status) > rank(step)
    const bound = step === 'Summary' ? [] : emergencies.filter(binds)
    const within = bound.filter((one) => !isOver(one))
    const after = step === 'Repairs' ? bound.filter(isOver) : []
    const first = after[0]
    const own = build(
      step,
      // The entry that finds the emergency may also complete the step.
      completionOf(first ? steps.slice(0, first.entered + 1) : steps, step),
      true,
      within.filter(({ entered }) => !first || entered < first.entered).map(({ found }) => found),
    )
    const again = after.map(({ found, entered }) => {
      const since = steps.slice(entered)
      const wasBack = since.some(({ status }) => rank(status) <= rank(step))
      return build(step, wasBack ? completionOf(since, step) : undefined, false, [found])
    })
    return [own, ...again].filter((one) => one !== undefined)
  })
}

/**
 * The deadlines of a case: the current ones, and those missed by what was known before an entry or new figures moved
 * them. No entry removes a missed deadline, unless the step was in fact completed in time.
 */
export function deadlinesOf(one: LawCase, context: LawContext): LawDeadline[] {
  const { figures, zone } = context
  const inForce = (at: number | null) =>
    (at === null ? undefined : figures.find(({ until }) => until !== null && at < until))?.figures ??
    figures.at(-1)!.figures
  const held = deadlinesBy(one, inForce, context)
  const opened = one.entries[0]?.enteredAt
  if (opened === undefined) return held
  const moments = [
    ...one.entries.slice(1).map((entry) => ({ at: entry.enteredAt ?? opened, reason: entry.reason ?? null })),
    ...figures.flatMap(({ until }) => (until !== null && until > opened ? [{ at: until, reason: 'New figures' }] : [])),
  ]
  const moved: LawDeadline[] = []
  // Latest first: everything missed until then was moved by that entry.
  for (const { at, reason } of moments.toSorted((a, b) => b.at - a.at)) {
    const known = casesOf(one.entries.filter(({ enteredAt }) => (enteredAt ?? opened) < at))
    const then = (instant: number | null) => inForce(Math.min(instant ?? at, at) - 1)
    for (const before of known.flatMap((earlier) => deadlinesBy(earlier, then, context))) {
      if (!isMissed(before, at, zone)) continue
      const late = lateFrom(before.due, zone)
      const isKept = [...held, ...moved].some(
        (other) => other.step === before.step && lateFrom(other.due, zone) <= late && isMissed(other, at, zone),
      )
      if (isKept) continue
      const completion = completionOf(one.steps, before.step)
      // An emergency may be found after its step was completed; that completion does not count for it.
      const done = before.done ?? ((completion?.enteredAt ?? 0) >= at && completion ? asDue(completion) : null)
      const over = { done, ended: !done && one.closing ? asDue(one.closing) : null }
      moved.push({ ...before, ...over, moved: { at, reason } })
    }
  }
  // A deadline that turns out to have been completed in time was recorded late, not missed. Closing a case is not
  // completion.
  return [...held, ...moved.filter((one) => isMissed({ ...one, ended: null }, one.moved!.at, zone))]
}

/** The running deadlines, soonest first. */
export const runningDeadlines = (deadlines: readonly LawDeadline[], zone: string): LawDeadline[] =>
  deadlines.filter(isRunning).toSorted((a, b) => lateFrom(a.due, zone) - lateFrom(b.due, zone))

/** The deadlines of the open case among a property's entries; empty if no case is open. */
export function openDeadlines(entries: readonly AwaabsLawEntry[], context: LawContext): LawDeadline[] {
  const last = casesOf(entries).at(-1)
  return last && !last.closing ? deadlinesOf(last, context) : []
}

/** The day by which preventive works must begin; null before the investigation ends, and if the law sets none. */
export function preventiveWorksDue(one: LawCase | undefined, context: LawContext): Day | null {
  const [aware] = one?.steps ?? []
  const ended = investigatedOn(one?.steps ?? [])
  if (!one || !aware || ended === undefined || one.closing) return null
  if (!isCovered(hazardOf(one.steps), aware.on, context.coverage)) return null
  return dayAfter(ended, 7 * context.figures.at(-1)!.figures.preventive)
}

/** The number of a case for display. */
export const caseNumberText = (number: number): string => `AL-${String(number).padStart(4, '0')}`

/** Lateness in words: '4 working days late', '18 h 40 min late'; below an hour in minutes. */
export function latenessText(late: { ms: number } | { days: number }): string {
  return `${durationText(late)} late`
}

/** The same for tables: '4 days', '18 h 40 min'. */
export function lateForTable(late: { ms: number } | { days: number }): string {
  if ('days' in late) return `${late.days} ${late.days === 1 ? 'day' : 'days'}`
  const minutes = Math.max(1, Math.floor(late.ms / 60_000))
  const [hours, rest] = [Math.floor(minutes / 60), minutes % 60]
  return hours ? `${hours} h ${rest} min` : `${rest} min`
}

function durationText(late: { ms: number } | { days: number }): string {
  if ('days' in late) return `${late.days} working ${late.days === 1 ? 'day' : 'days'}`
  return hoursText(late.ms)
}

/** The missed deadlines of a case in one line: 'Investigation 4 working days late'; null if there are none. */
export function missedText(deadlines: readonly LawDeadline[], now: number, zone: string): string | null {
  const missed = deadlines.flatMap((one) => {
    const late = latenessOf(one, now, zone)
    return late ? [`${one.step} ${latenessText(late)}${one.moved ? ', moved since' : ''}`] : []
  })
  return missed.join('; ') || null
}

const plural = (count: number, unit: string) => `${count} ${unit}${count === 1 ? '' : 's'}`

/** A duration in whole hours, or in minutes below one hour. */
export function hoursText(ms: number): string {
  const minutes = Math.max(1, Math.floor(ms / 60_000))
  return minutes < 60 ? plural(minutes, 'minute') : plural(Math.floor(minutes / 60), 'hour')
}

/** The time left or overdue: '22 hours left', '1 hour late', 'Due today', '3 working days left'. */
export function timeLeftText({ due }: Pick<LawDeadline, 'due'>, now: number, zone: string): string {
  if (due.at !== null) return now < due.at ? `${hoursText(due.at - now)} left` : `${hoursText(now - due.at)} late`
  const today = dayAt(now, zone)
  if (due.on === today) return 'Due today'
  if (due.on > today) return `${plural(workingDaysBetween(today, due.on), 'working day')} left`
  return latenessText({ days: Math.max(1, workingDaysBetween(due.on, today)) })
}
