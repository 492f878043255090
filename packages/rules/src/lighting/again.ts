import { dayAfter } from '../calendar/days.ts'
import type { GroupRun, Wanted } from './collisions.ts'
import { darkNightAt, isMovable, recharge } from './collisions.ts'
import type { PlannedRun, Rhythm } from './plan.ts'
import type { TestType } from './tests.ts'
import { endOf, lengthOf, startOf, localTimeAt } from './plan.ts'

const day = 24 * 60 * 60_000

/**
 * Missed tests that are repeated: those that every light must have, within the permitted delay (research on the domain,
 * section 1: Due dates, 365 and 30 days, 31 and 7). T5 and T60 are optional and wait for their next scheduled time.
 * Some days lie between two attempts, so that the cause can be fixed.
 */
export const repeatedTests = {
  T180: { graceDays: 30, daysBetween: 7 },
  T0: { graceDays: 7, daysBetween: 3 },
} as const satisfies Partial<Record<TestType, { graceDays: number; daysBetween: number }>>
export type RepeatedTest = keyof typeof repeatedTests
export const isRepeated = (testType: TestType): testType is RepeatedTest => testType in repeatedTests

/** Why a missed test is not planned again; '' if it is. Appended to its outcome. */
export const notAgainText = (testType: TestType): string =>
  isRepeated(testType) ? '' : `not repeated: the next ${testType} of its group follows as scheduled`

/** Days after which no repeat is planned. */
export const mostGraceDays = repeatedTests.T180.graceDays

/** A missed group test, the runs after it, and the runs that a repeat must avoid. */
export interface Missed {
  testType: RepeatedTest
  /** When it began. */
  startsAt: number
  /** When the last attempt began: the test itself, or its newest repeat. */
  lastTry: number
  rhythm: Rhythm
  /** The other runs of the group in that time. */
  own: readonly PlannedRun[]
  /** The lights that still need the test, as a group, and the other lights of the building with their repeated runs. */
  wanted: Wanted
  repeats: readonly GroupRun[]
}

/**
 * When a missed test is repeated: at the group's time of day, on the first night with charged batteries before and
 * after and without leaving the building dark if avoidable. Undefined if no night within the grace period qualifies, or
 * if the group has that test within it anyway, so that no light is tested twice for one year or month.
 */
export function againStart(missed: Missed, { now, zone }: { now: number; zone: string }): number | undefined {
  const { testType } = missed
  const { graceDays, daysBetween } = repeatedTests[testType]
  const first = localTimeAt(missed.startsAt, zone).slice(0, 10)
  const nightAfter = (days: number) => startOf(`${dayAfter(first, days)}${missed.rhythm.t180Start.slice(10)}`, zone)
  const latest = nightAfter(graceDays)
  const comesAnyway = (run: PlannedRun) =>
    run.testType === testType && run.startsAt > missed.lastTry && run.startsAt <= latest
  if (missed.own.some(comesAnyway)) return undefined
  const isFree = (at: number) => {
    const end = at + lengthOf(testType)
    if (missed.own.some((run) => run.startsAt < end + recharge && endOf(run) > at - recharge)) return false
    if (testType !== 'T180') return true
    const night = darkNightAt(at, missed.wanted, { zone, repeats: missed.repeats })
    return !(night && isMovable(night))
  }
  return Array.from({ length: graceDays }, (_, days) => nightAfter(days + 1)).find(
    // A clock change in between shortens the days by an hour.
    (at) => at >= missed.lastTry + daysBetween * day - 3 * 60 * 60_000 && at >= now + recharge && isFree(at),
  )
}
