import { dayAfter } from '../calendar/days.ts'
import type { GroupRun, Wanted } from './collisions.ts'
import { darkNightAt, isMovable, recharge } from './collisions.ts'
import type { PlannedRun, Rhythm } from './plan.ts'
import type { TestType } from './tests.ts'
import { endOf, lengthOf, startOf, wallTimeAt } from './plan.ts'

const day = 24 * 60 * 60_000

/**
 * What is tested again when lights missed it: the tests that are due by themselves, in the days by which they may be late (research on the
 * domain, section 1: Due dates, 365 and 30 days, 31 and 7). T5 and T60 are due by nothing but the wish of a group, and wait for their next time.
 * Between two tries lie some days: what was in the way wants mending first.
 */
export const repeatedTests = {
  T180: { graceDays: 30, daysBetween: 7 },
  T0: { graceDays: 7, daysBetween: 3 },
} as const satisfies Partial<Record<TestType, { graceDays: number; daysBetween: number }>>
export type RepeatedTest = keyof typeof repeatedTests
export const isRepeated = (testType: TestType): testType is RepeatedTest => testType in repeatedTests

/** Why a test that lights missed is not planned again, to follow what became of it; '' of one that is. */
export const notAgainText = (testType: TestType): string =>
  isRepeated(testType) ? '' : `not repeated: a ${testType} waits for the next one of its group`

/** Days after which none is planned again any more. */
export const mostGraceDays = repeatedTests.T180.graceDays

/** A test of a group that lights missed, what came after it, and what its next try must not run into. */
export interface Missed {
  testType: RepeatedTest
  /** When it began. */
  startsAt: number
  /** When the last try began: itself, or the newest of those that repeat it. */
  lastTry: number
  rhythm: Rhythm
  /** The other runs of the group in that time. */
  own: readonly PlannedRun[]
  /** The lights that still want the test, as a group, and the others of the building with their repeated runs. */
  wanted: Wanted
  repeats: readonly GroupRun[]
}

/**
 * When lights are tested again that missed a test: at the hour of their group, in the first night that leaves their batteries
 * charged before and after, and the building no darker than need be. Undefined where no night within the grace does, and where
 * that test of the group comes within it anyway, so that no light is tested twice for one year or month.
 */
export function againStart(missed: Missed, { now, zone }: { now: number; zone: string }): number | undefined {
  const { testType } = missed
  const { graceDays, daysBetween } = repeatedTests[testType]
  const first = wallTimeAt(missed.startsAt, zone).slice(0, 10)
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
    // Clocks that change in between make the days an hour shorter.
    (at) => at >= missed.lastTry + daysBetween * day - 3 * 60 * 60_000 && at >= now + recharge && isFree(at),
  )
}
