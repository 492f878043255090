import { workingDaysAfter, workingDaysBetween } from '../calendar/bank-holidays.ts'
import type { Day } from '../calendar/days.ts'
import { dayAfter, dayAt, endOfDay, startOfDay } from '../calendar/days.ts'
import type { AwaabsLawEntry, AwaabsLawFigures, AwaabsLawStep, Coverage, LawCase } from './awaabs-law.ts'
import { awaabsLawSteps, casesOf, completionOf, defaultAwaabsLaw, hazardOf, isCovered } from './awaabs-law.ts'

/** The steps for which the law sets a time. */
export const deadlineSteps = ['Investigation', 'Summary', 'Repairs'] as const
export type DeadlineStep = (typeof deadlineSteps)[number]

/** When something is due: by the end of a day, or at an instant in ms, which lies on that day. */
export interface Due {
  on: Day
  at: number | null
}

export interface LawDeadline {
  step: DeadlineStep
  /** Whether the hours of an emergency set it. */
  isEmergency: boolean
  due: Due
  /** The same by the figures of the law, where the client is stricter; null where both are the same. */
  lawDue: Due | null
  /** Where an emergency and the usual time both run: the later one, which does not hold. */
  otherDue: Due | null
  /** When the step was completed; null as long as it is not. */
  done: Due | null
  /** When the case was closed without completing it. */
  ended: Due | null
  /** Missed as the case was known then; an entry or new figures have moved the deadline since. */
  moved: { at: number; reason: string | null } | null
}

/** Figures of a client, and until when they were in force, in ms; null for those of now. */
export interface FiguresInForce {
  until: number | null
  figures: AwaabsLawFigures
}

export interface LawContext {
  /** The figures of the client over time, the oldest first; the last are those of now. */
  figures: readonly FiguresInForce[]
  coverage: Coverage
  zone: string
}

/** The instant from which a deadline is late, in ms: a day is due until its end. */
export const lateFrom = ({ on, at }: Due, zone: string): number => at ?? startOfDay(dayAfter(on, 1), zone)

/** When a thing was done at the latest, in ms: a day without a time counts to its end. */
const latestOf = ({ on, at }: Due, zone: string): number => at ?? endOfDay(on, zone)
/** And at the earliest. An emergency without a time counts from the start of its day, which is never laxer than the law. */
const earliestOf = ({ on, at }: { on: Day; at?: number | null }, zone: string): number => at ?? startOfDay(on, zone)

/** Whether a deadline was missed, or is by now. */
export function isMissed({ due, done, ended }: Pick<LawDeadline, 'due' | 'done' | 'ended'>, now: number, zone: string) {
  const end = done ?? ended
  if (end && due.at === null) return end.on > due.on
  return (end ? latestOf(end, zone) : now) >= lateFrom(due, zone)
}

/** Whether a deadline still runs: it is neither done nor ended, and no entry has moved it. */
export const isRunning = ({ done, ended, moved }: LawDeadline): boolean => !done && !ended && !moved

/** How late a deadline is, or was done: hours of an emergency in ms, everything else in working days of England. */
export function latenessOf(
  deadline: Pick<LawDeadline, 'due' | 'done' | 'ended'>,
  now: number,
  zone: string,
): { ms: number } | { days: number } | undefined {
  if (!isMissed(deadline, now, zone)) return undefined
  const { due, done, ended } = deadline
  const end = done ?? ended
  if (due.at !== null) return { ms: (end ? latestOf(end, zone) : now) - due.at }
  // What is due on a Friday and done on the Saturday is late, too, and at least a day.
  return { days: Math.max(1, workingDaysBetween(due.on, end ? end.on : dayAt(now, zone))) }
}

const hour = 3_600_000
const dueOfDay = (on: Day): Due => ({ on, at: null })
const asDue = ({ on, at }: AwaabsLawStep): Due => ({ on, at: at ?? null })
const sameDue = (a: Due, b: Due) => a.on === b.on && a.at === b.at
const rank = (status: AwaabsLawStep['status']) => awaabsLawSteps.indexOf(status as (typeof awaabsLawSteps)[number])

/** An emergency: when it was found, when it was lifted, and after how many steps of the case it was entered. */
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

/** The first day on which the investigation ended: going back to it moves no deadline that it started. */
function investigatedOn(steps: readonly AwaabsLawStep[]): Day | undefined {
  const ends = steps.filter(({ status }, at) => rank(status) > 0 && (at === 0 || rank(steps[at - 1]!.status) === 0))
  return ends.map(({ on }) => on).toSorted()[0]
}

/**
 * The deadlines of a case as it is known. A deadline that is over keeps the figures that were in force then; `inForce` gives those of
 * an instant in ms, or of now.
 */
function deadlinesBy(
  { steps, closing }: Pick<LawCase, 'steps' | 'closing'>,
  inForce: (at: number | null) => AwaabsLawFigures,
  { coverage, zone }: Pick<LawContext, 'coverage' | 'zone'>,
): LawDeadline[] {
  const [aware] = steps
  // A landlord who becomes aware before the law covers the hazard is bound by other duties, not by its deadlines.
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
  // An emergency that was lifted before its hours were over needs nothing any more; lifted later, it was missed.
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
    // An emergency that is found when the step is over starts it again, by its hours: only making safe is done twice.
    const isOver = ({ entered }: Emergency) => entered > 0 && rank(steps[entered]!.status) > rank(step)
    const bound = step === 'Summary' ? [] : emergencies.filter(binds)
    const within = bound.filter((one) => !isOver(one))
    const after = step === 'Repairs' ? bound.filter(isOver) : []
    const first = after[0]
    const own = build(
      step,
      // The entry that finds it may be the one that completes the step.
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
 * The deadlines of a case: those that hold, and those that were missed by what was known before an entry or new figures moved
 * them. No sequence of entries takes a missed deadline away, unless the step was completed in time.
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
  // The latest first: what was missed until then is what that entry moved.
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
      // An emergency may be found when its step was over: that end is none of its own.
      const done = before.done ?? ((completion?.enteredAt ?? 0) >= at && completion ? asDue(completion) : null)
      const over = { done, ended: !done && one.closing ? asDue(one.closing) : null }
      moved.push({ ...before, ...over, moved: { at, reason } })
    }
  }
  // One that turns out to have been completed in time was recorded late, not missed. A closing is no completion, whatever its day.
  return [...held, ...moved.filter((one) => isMissed({ ...one, ended: null }, one.moved!.at, zone))]
}

/** The deadlines that still run, the soonest first. */
export const runningDeadlines = (deadlines: readonly LawDeadline[], zone: string): LawDeadline[] =>
  deadlines.filter(isRunning).toSorted((a, b) => lateFrom(a.due, zone) - lateFrom(b.due, zone))

/** The deadlines of the case that is open, by all entries of a home; none where no case is open. */
export function openDeadlines(entries: readonly AwaabsLawEntry[], context: LawContext): LawDeadline[] {
  const last = casesOf(entries).at(-1)
  return last && !last.closing ? deadlinesOf(last, context) : []
}

/** The day by which preventive works have to begin; null before the investigation ended, and where the law sets none. */
export function preventiveWorksDue(one: LawCase | undefined, context: LawContext): Day | null {
  const [aware] = one?.steps ?? []
  const ended = investigatedOn(one?.steps ?? [])
  if (!one || !aware || ended === undefined || one.closing) return null
  if (!isCovered(hazardOf(one.steps), aware.on, context.coverage)) return null
  return dayAfter(ended, 7 * context.figures.at(-1)!.figures.preventive)
}

/** The number of a case, as people name it. */
export const caseNumberText = (number: number): string => `AL-${String(number).padStart(4, '0')}`

/** How late, in words: '4 working days late', '18 h 40 min late'; below an hour in minutes. */
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

/** The missed deadlines of a case in one line: 'Investigation 4 working days late'; null where none was missed. */
export function missedText(deadlines: readonly LawDeadline[], now: number, zone: string): string | null {
  const missed = deadlines.flatMap((one) => {
    const late = latenessOf(one, now, zone)
    return late ? [`${one.step} ${latenessText(late)}${one.moved ? ', moved since' : ''}`] : []
  })
  return missed.join('; ') || null
}

const plural = (count: number, unit: string) => `${count} ${unit}${count === 1 ? '' : 's'}`

/** A time that runs in hours: whole hours, and minutes below one hour. */
export function hoursText(ms: number): string {
  const minutes = Math.max(1, Math.floor(ms / 60_000))
  return minutes < 60 ? plural(minutes, 'minute') : plural(Math.floor(minutes / 60), 'hour')
}

/** What a deadline has left, or by how much it is late: '22 hours left', '1 hour late', 'Due today', '3 working days left'. */
export function timeLeftText({ due }: Pick<LawDeadline, 'due'>, now: number, zone: string): string {
  if (due.at !== null) return now < due.at ? `${hoursText(due.at - now)} left` : `${hoursText(now - due.at)} late`
  const today = dayAt(now, zone)
  if (due.on === today) return 'Due today'
  if (due.on > today) return `${plural(workingDaysBetween(today, due.on), 'working day')} left`
  return latenessText({ days: Math.max(1, workingDaysBetween(due.on, today)) })
}
