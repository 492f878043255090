import type { Day } from '../calendar/days.ts'
import { clockName, dayAfter, dayAt, localTime } from '../calendar/days.ts'
import { recharge } from './collisions.ts'
import { lengthOf, startOf, localTimeAt } from './plan.ts'
import { chargeTime, putInBy } from './runs.ts'
import type { TestType } from './tests.ts'

/** Tests planned for a single light, to prove a repair. */

const hour = 3_600_000
/** The local start time: the building is least in use. */
const nightStart = '02:00'
/** Number of nights offered. */
export const nightsOffered = 14
/** A test is at night if it lies entirely between these local times. */
const [nightBegins, nightEnds] = [22 * hour, 7 * hour]

/** A planned or running test that conflicts. */
export interface OtherTest {
  testType: TestType
  startsAt: number
}

/** A night on which a light can be tested. */
export interface Night {
  at: number
  /** The conflicting test; undefined if the night is free. */
  taken?: OtherTest | undefined
}

export const usesBattery = (testType: TestType) => testType === 'T60' || testType === 'T180'

/** The last event of each kind that drains or replaces a battery, in ms; unknown ones are omitted. */
export interface ChargedSince {
  drainedAt?: number | undefined
  mainsSince?: number | undefined
  batteryInstalledAt?: number | undefined
}

/** When a battery has charged for 24 h; undefined if it is not known to have been drained. */
export function chargedBy({ drainedAt, mainsSince, batteryInstalledAt }: ChargedSince): number | undefined {
  const since = [drainedAt, mainsSince, batteryInstalledAt].filter((at) => at !== undefined)
  return since.length ? Math.max(...since) + chargeTime : undefined
}

/**
 * When a battery fitted in a repair begins to charge: at the repair, or at the end of a later day on which it was
 * fitted.
 */
export const chargesFrom = (repairedAt: number, fittedOn: Day | undefined, zone: string): number =>
  fittedOn !== undefined && fittedOn > dayAt(repairedAt, zone) ? putInBy(fittedOn, zone) : repairedAt

/** Another test of the same light that overlaps, or leaves one of them without charge. */
export function takenBy(testType: TestType, at: number, others: readonly OtherTest[]): OtherTest | undefined {
  const end = at + lengthOf(testType)
  return others.find((other) => {
    const between = usesBattery(testType) && usesBattery(other.testType) ? recharge : 0
    return other.startsAt < end + between && other.startsAt + lengthOf(other.testType) > at - between
  })
}

/** The coming nights at 02:00 with a charged battery, and the conflicting test of those that are not free. */
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

/** Whether any part of the test is in daytime. */
export function isByDay(testType: TestType, at: number, zone: string): boolean {
  const clock = Date.parse(`1970-01-01T${localTimeAt(at, zone).slice(11)}:00Z`)
  return clock < nightBegins && clock + lengthOf(testType) > nightEnds
}

/** 'Monday 30 November 2026, 02:00', with GMT or BST if that time occurs twice. */
export function nightText(at: number, zone: string): string {
  const part = (options: Intl.DateTimeFormatOptions) =>
    new Date(localTime(at, zone)).toLocaleDateString('en-GB', { ...options, timeZone: 'UTC' })
  const day = `${part({ weekday: 'long' })} ${part({ day: 'numeric' })} ${part({ month: 'long' })} ${part({ year: 'numeric' })}`
  return [`${day}, ${localTimeAt(at, zone).slice(11)}`, clockName(at, zone)].filter(Boolean).join(' ')
}

/** '3-hour test tonight at 02:00', or the date: between midnight and 02:00 it is still tonight. */
export function nightLabel(at: number, { now, zone }: { now: number; zone: string }): string {
  const [night, today] = [dayAt(at, zone), dayAt(now, zone)]
  const isTonight = night === today || (night === dayAfter(today, 1) && localTimeAt(now, zone).slice(11) >= nightStart)
  const [, month, date] = night.split('-')
  return `3-hour test ${isTonight ? 'tonight' : `on ${date}/${month}`} at ${localTimeAt(at, zone).slice(11)}`
}

/** The text for a battery that will not be charged by the start of a test. */
export const chargeText = (first: number, zone: string): string =>
  `The battery needs 24 h of charging. First possible night: ${nightText(first, zone)}.`
