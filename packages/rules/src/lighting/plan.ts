import { instantOf, localTime, zoneName } from '../calendar/days.ts'
import { chargeTime } from './runs.ts'
import type { TestType } from './tests.ts'
import { minutesOf, testTypes } from './tests.ts'

const [minute, hour] = [60_000, 3_600_000]

/** A local time of a tenant: 'YYYY-MM-DDTHH:mm'. */
export type LocalTime = string

/** Optional tests of a group; T0 and T180 are run for all groups (decisions, Test rhythm). */
export const askedTypes = ['T5', 'T60'] as const satisfies readonly TestType[]
export type AskedType = (typeof askedTypes)[number]

export interface Rhythm {
  t180Start: LocalTime
  alsoTypes: readonly TestType[]
}

export interface PlannedRun {
  testType: TestType
  startsAt: number
}

const dayLength = 24 * hour
/** A T180 counts as a night test if it lies entirely between these times. */
const [nightBegins, nightEnds] = [22 * hour, 7 * hour]

const asUtc = (local: LocalTime) => Date.parse(`${local}:00Z`)

/** An instant as local time of a zone, to the minute. */
export const localTimeAt = (at: number, zone: string): LocalTime =>
  new Date(localTime(at, zone)).toISOString().slice(0, 16)

/** The instant of a local time in a zone: the first if it occurs twice, the clock change if it is skipped. */
export const startOf = (local: LocalTime, zone: string): number => instantOf(asUtc(local), zone)

/** The local hour that contains an instant: the earliest start of a new group. */
export const hourOf = (at: number, zone: string): LocalTime => `${localTimeAt(at, zone).slice(0, 13)}:00`

/** Whether a text is a valid local time. */
export function isLocalTime(text: string): boolean {
  if (!/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}$/.test(text)) return false
  const at = asUtc(text)
  return !Number.isNaN(at) && new Date(at).toISOString().slice(0, 16) === text
}

/** The validation error of a group's start that is set now. */
export function startFault(start: LocalTime, { now, zone }: { now: number; zone: string }): string | undefined {
  if (!isLocalTime(start)) return 'T180 start must be a date and a time'
  if (start < hourOf(now, zone)) return 'T180 start is in the past'
  return undefined
}

/**
 * For a start that a clock change skips: the start moved by the length of the change, with a sentence that explains it.
 * Undefined for other times.
 */
export function movedStart(start: LocalTime, zone: string): { start: LocalTime; text: string } | undefined {
  if (!isLocalTime(start)) return undefined
  const leap = startOf(start, zone)
  if (localTimeAt(leap, zone) === start) return undefined
  const skipped = localTime(leap, zone) - localTime(leap - minute, zone) - minute
  const moved = new Date(asUtc(start) + skipped).toISOString().slice(0, 16)
  const date = start.slice(0, 10).split('-').reverse().join('/')
  const text = `${date} has no ${start.slice(11)}. The test starts at ${moved.slice(11)} ${zoneName(startOf(moved, zone), zone)}.`
  return { start: moved, text }
}

/** The start to store for a chosen one. */
export const shownStart = (start: LocalTime, zone: string): LocalTime => movedStart(start, zone)?.start ?? start

/** A T180 that starts sooner than this needs confirmation, in ms: occupants cannot be informed in time. */
export const shortNotice = 4 * hour

/** Whether a T180 at this time of day lies within the night, when the building is least in use. */
function isByNight(start: LocalTime): boolean {
  const clock = asUtc(start) % dayLength
  return clock >= nightBegins || clock + lengthOf('T180') <= nightEnds
}

/** Why a T180 start needs confirmation before it is saved. */
export interface StartQuestion {
  isByDay: boolean
  /** Starts within the next hours, or started in the current one. */
  isSoon: boolean
  /** Start, end, and when the batteries are charged again, in ms. */
  from: number
  to: number
  chargedBy: number
}

export function startQuestion(
  start: LocalTime,
  { now, zone }: { now: number; zone: string },
): StartQuestion | undefined {
  if (!isLocalTime(start)) return undefined
  const shown = shownStart(start, zone)
  const from = Math.max(now, startOf(shown, zone))
  const [isByDay, isSoon] = [!isByNight(shown), from < now + shortNotice]
  if (!isByDay && !isSoon) return undefined
  const to = from + lengthOf('T180')
  return { isByDay, isSoon, from, to, chargedBy: to + chargeTime }
}

/**
 * A note on a T180 start before it is saved; undefined for a future start at night. A start in the current hour begins
 * at once. Lights are tested when the building is least in use, 02:00 to 05:00 (research, domain rules 2, section 1).
 */
export function startNote(start: LocalTime, currentHour?: LocalTime): string | undefined {
  if (!isLocalTime(start)) return undefined
  const notes = [
    start === currentHour && 'The T180 begins as soon as the group is saved.',
    !isByNight(start) &&
      'This is during the day, when the building is in use. Tests usually start between 02:00 and 05:00.',
  ].filter(Boolean)
  return notes.length ? notes.join(' ') : undefined
}

/** Duration of a run in ms; a flick test takes some seconds and counts as a minute. */
export const lengthOf = (testType: TestType): number => Math.max(1, minutesOf[testType]) * minute
export const endOf = ({ testType, startsAt }: PlannedRun): number => startsAt + lengthOf(testType)

/**
 * The runs of a group that begin in [from, to), in order, in the given time zone and always at the time of day of the
 * T180 start:
 *
 * - T180 on that day and each anniversary of it, 29 February being the 28th in other years;
 * - T60, if chosen, six months after each;
 * - T0 every month, a week after the day of the month of the T180; T5, if chosen, a week after the T0. Weeks are counted
 *   within 28 days, so that every month has each of them once and no two tests of a group are within two days of each
 *   other.
 */
export function planned(rhythm: Rhythm, span: { zone: string; from: number; to: number }): PlannedRun[] {
  const { zone, from, to } = span
  const wants = (type: TestType) => type === 'T0' || type === 'T180' || rhythm.alsoTypes.includes(type)
  const start = asUtc(rhythm.t180Start)
  const [year, month, day] = [yearOf(start), monthOf(start), new Date(start).getUTCDate()]
  const clock = start % (24 * hour)
  const weeksLater = (weeks: number) => ((day - 1 + 7 * weeks) % 28) + 1
  const runs: PlannedRun[] = []
  const add = (testType: TestType, inMonth: number, dayOfMonth: number) => {
    const local = Date.UTC(year, inMonth, Math.min(dayOfMonth, daysOf(year, inMonth))) + clock
    // A quick check without time zone rules: no offset exceeds a day.
    if (local < from - 48 * hour || local > to + 48 * hour) return
    const startsAt = instantOf(local, zone)
    if (startsAt >= from && startsAt < to) runs.push({ testType, startsAt })
  }
  const monthAt = (at: number) => (yearOf(at) - year) * 12 + monthOf(at)
  for (let each = monthAt(from) - 1; each <= monthAt(to) + 1; each++) {
    add('T0', each, weeksLater(1))
    if (wants('T5')) add('T5', each, weeksLater(2))
    if (each >= month && (each - month) % 12 === 0) add('T180', each, day)
    if (wants('T60') && each >= month && (each - month) % 12 === 6) add('T60', each, day)
  }
  return runs.sort((a, b) => a.startsAt - b.startsAt || testTypes.indexOf(a.testType) - testTypes.indexOf(b.testType))
}

const yearOf = (at: number) => new Date(at).getUTCFullYear()
const monthOf = (at: number) => new Date(at).getUTCMonth()
/** Days of a month; the month is counted from January of `year` and may lie in another year. */
const daysOf = (year: number, month: number) => new Date(Date.UTC(year, month + 1, 0)).getUTCDate()

/** The current or next T180 of a group. */
export function nextT180(rhythm: Rhythm, { now, zone }: { now: number; zone: string }): number {
  const [asked, begun] = [startOf(rhythm.t180Start, zone), now - lengthOf('T180')]
  if (asked > begun) return asked
  const runs = planned({ ...rhythm, alsoTypes: [] }, { zone, from: begun + 1, to: begun + 367 * 24 * hour })
  return runs.find(({ testType }) => testType === 'T180')!.startsAt
}

/**
 * The confirmation needed before a group is saved: for a changed start, about all its lights; for a T180 within the
 * next hours, about the added lights.
 */
export function questionOf(
  rhythm: Rhythm,
  was: LocalTime | undefined,
  clocks: { now: number; zone: string },
): { question: StartQuestion; isOfJoining: boolean } | undefined {
  const isOfJoining = rhythm.t180Start === was
  const next = isOfJoining ? nextT180(rhythm, clocks) : undefined
  if (next !== undefined && next <= clocks.now) return undefined
  const question = startQuestion(next === undefined ? rhythm.t180Start : localTimeAt(next, clocks.zone), clocks)
  return question && (!isOfJoining || question.isSoon) ? { question, isOfJoining } : undefined
}

/** The runs of a group saved now: future ones, and a T180 that begins in the current hour. */
export function plannedNow(rhythm: Rhythm, { zone, now, to }: { zone: string; now: number; to: number }): PlannedRun[] {
  const from = startOf(hourOf(now, zone), zone)
  return planned(rhythm, { zone, from, to }).filter(({ testType, startsAt }) => startsAt > now || testType === 'T180')
}

/** Runs of one type closer than this are the same test in two time zones, which are never 48 hours apart. */
const oneTest = 48 * hour

/**
 * The future runs of a group after its time zone changed. Each test keeps its local time and is neither lost nor
 * repeated: a test that has begun does not begin again when the new zone reaches its time, and one whose time has
 * passed only in the new zone stays as planned.
 */
export function replanned(
  rhythm: Rhythm,
  { zone, now, to }: { zone: string; now: number; to: number },
  { begun, standing }: { begun: readonly PlannedRun[]; standing: readonly PlannedRun[] },
): PlannedRun[] {
  const isOf = (run: PlannedRun) => (other: PlannedRun) =>
    other.testType === run.testType && Math.abs(other.startsAt - run.startsAt) < oneTest
  const fresh = planned(rhythm, { zone, from: now + 1, to }).filter((run) => !begun.some(isOf(run)))
  const kept = standing.filter(
    (run) => run.startsAt > now && run.startsAt < now + oneTest && ![...fresh, ...begun].some(isOf(run)),
  )
  return [...kept, ...fresh].sort((a, b) => a.startsAt - b.startsAt)
}

/** How far ahead tests are planned, in ms; at least a year is always left. */
export const planAhead = 400 * 24 * hour
export const leastAhead = 366 * 24 * hour
