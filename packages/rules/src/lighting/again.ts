import { dayAfter } from '../calendar/days.ts'
import type { GroupRun, Wanted } from './collisions.ts'
import { darkNightWith, isMovable, recharge } from './collisions.ts'
import type { PlannedRun, Rhythm } from './plan.ts'
import { endOf, lengthOf, startOf, wallTimeAt } from './plan.ts'

const day = 24 * 60 * 60_000

/**
 * A yearly test is due after 365 days and may be 30 days late (research on the domain, section 1: Due dates). Lights that missed
 * theirs are tested again within those days, no sooner than a week after they missed it: what was in the way wants mending first.
 */
export const [graceDays, daysBetweenTries] = [30, 7]

/** A T180 of a group, what came after it, and what its next try must not run into. */
export interface Missed {
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
 * When lights that missed a T180 are tested again: at the hour of their group, in the first night that leaves their batteries
 * charged before and after, and the building no darker than need be. Undefined where no night within the grace does, and where
 * the yearly test of the group comes within it anyway, so that no light is tested twice for one year.
 */
export function againStart(missed: Missed, { now, zone }: { now: number; zone: string }): number | undefined {
  const first = wallTimeAt(missed.startsAt, zone).slice(0, 10)
  const nightAfter = (days: number) => startOf(`${dayAfter(first, days)}${missed.rhythm.t180Start.slice(10)}`, zone)
  const latest = nightAfter(graceDays)
  const comesAnyway = ({ testType, startsAt }: PlannedRun) =>
    testType === 'T180' && startsAt > missed.lastTry && startsAt <= latest
  if (missed.own.some(comesAnyway)) return undefined
  const isFree = (at: number) => {
    const end = at + lengthOf('T180')
    if (missed.own.some((run) => run.startsAt < end + recharge && endOf(run) > at - recharge)) return false
    const night = darkNightWith(at, missed.wanted, missed.repeats, { zone })
    return !(night && isMovable(night))
  }
  return Array.from({ length: graceDays }, (_, days) => nightAfter(days + 1)).find(
    // Clocks that change in between make a week an hour shorter.
    (at) => at >= missed.lastTry + daysBetweenTries * day - 3 * 60 * 60_000 && at >= now + recharge && isFree(at),
  )
}
