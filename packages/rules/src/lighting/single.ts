import type { Day } from '../calendar/days.ts'
import { clockName, dayAfter, dayAt, wallTime } from '../calendar/days.ts'
import { recharge } from './collisions.ts'
import { lengthOf, startOf, wallTimeAt } from './plan.ts'
import { chargeTime, putInBy } from './runs.ts'
import type { TestType } from './tests.ts'

/** Tests of one light, planned for it alone, to prove a repair. */

const hour = 3_600_000
/** When such a test begins, by the clocks of the client: the building is least in use. */
const nightStart = '02:00'
/** Nights that are offered. */
export const nightsOffered = 14
/** A test is by night where all of it lies between these, by the clocks of the client. */
const [nightBegins, nightEnds] = [22 * hour, 7 * hour]

/** What may keep a light from being tested: a test that is planned, or one that runs. */
export interface OtherTest {
  testType: TestType
  startsAt: number
}

/** A night in which a light may be tested. */
export interface Night {
  at: number
  /** The test that takes it; undefined of one that is free. */
  taken?: OtherTest | undefined
}

export const usesBattery = (testType: TestType) => testType === 'T60' || testType === 'T180'

/** What empties a battery, or puts it in: when the last of it happened, in ms; what is not known is left out. */
export interface ChargedSince {
  drainedAt?: number | undefined
  mainsSince?: number | undefined
  batteryInstalledAt?: number | undefined
}

/** From when a battery has charged for 24 h; undefined where nothing is known to have emptied it. */
export function chargedBy({ drainedAt, mainsSince, batteryInstalledAt }: ChargedSince): number | undefined {
  const since = [drainedAt, mainsSince, batteryInstalledAt].filter((at) => at !== undefined)
  return since.length ? Math.max(...since) + chargeTime : undefined
}

/** When a battery that a repair puts in begins to charge: with the repair, or at the end of a later day on which it was fitted. */
export const chargesFrom = (repairedAt: number, fittedOn: Day | undefined, zone: string): number =>
  fittedOn !== undefined && fittedOn > dayAt(repairedAt, zone) ? putInBy(fittedOn, zone) : repairedAt

/** Another test that overlaps a test of the same light, or leaves one of them without charge. */
export function takenBy(testType: TestType, at: number, others: readonly OtherTest[]): OtherTest | undefined {
  const end = at + lengthOf(testType)
  return others.find((other) => {
    const between = usesBattery(testType) && usesBattery(other.testType) ? recharge : 0
    return other.startsAt < end + between && other.startsAt + lengthOf(other.testType) > at - between
  })
}

/** The coming nights at 02:00 from when the battery has its charge, with what takes those that are not free. */
export function nightsFor(
  testType: TestType,
  {
    now,
    charged,
    others,
    zone,
  }: { now: number; charged: number | undefined; others: readonly OtherTest[]; zone: string },
): Night[] {
  const from = Math.max(now, usesBattery(testType) ? (charged ?? now) : now)
  const first = dayAt(from, zone)
  return Array.from({ length: nightsOffered + 1 }, (_, days) => startOf(`${dayAfter(first, days)}T${nightStart}`, zone))
    .filter((at) => at >= from)
    .slice(0, nightsOffered)
    .map((at) => ({ at, taken: takenBy(testType, at, others) }))
}

/** Whether any part of a test that begins then is by day. */
export function isByDay(testType: TestType, at: number, zone: string): boolean {
  const clock = Date.parse(`1970-01-01T${wallTimeAt(at, zone).slice(11)}:00Z`)
  return clock < nightBegins && clock + lengthOf(testType) > nightEnds
}

/** 'Monday 30 November 2026, 02:00', with GMT or BST where the clocks show that time twice. */
export function nightText(at: number, zone: string): string {
  const part = (options: Intl.DateTimeFormatOptions) =>
    new Date(wallTime(at, zone)).toLocaleDateString('en-GB', { ...options, timeZone: 'UTC' })
  const day = `${part({ weekday: 'long' })} ${part({ day: 'numeric' })} ${part({ month: 'long' })} ${part({ year: 'numeric' })}`
  return [`${day}, ${wallTimeAt(at, zone).slice(11)}`, clockName(at, zone)].filter(Boolean).join(' ')
}

/** '3-hour test tonight at 02:00', or the night: between midnight and 02:00 it is still tonight. */
export function nightLabel(at: number, { now, zone }: { now: number; zone: string }): string {
  const [night, today] = [dayAt(at, zone), dayAt(now, zone)]
  const isTonight = night === today || (night === dayAfter(today, 1) && wallTimeAt(now, zone).slice(11) >= nightStart)
  const [, month, date] = night.split('-')
  return `3-hour test ${isTonight ? 'tonight' : `on ${date}/${month}`} at ${wallTimeAt(at, zone).slice(11)}`
}

/** What is said where a battery has too little charge by the start of a test. */
export const chargeText = (first: number, zone: string): string =>
  `The battery needs 24 h of charge. First possible night: ${nightText(first, zone)}.`
