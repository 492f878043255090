/** The earliest day on which a clock that was set can stand, in ms: clocks that were never set begin in 1970, 2000 or with their firmware. */
export const earliestClock = Date.UTC(2015, 0, 1)
/** How far the clock of a device may be ahead, in ms. */
export const furthestAhead = 5 * 60_000
/** Readings may be at most this old, in ms. */
export const oldestReading = 7 * 86_400_000

/** A time is taken for one in seconds where it is at most this old, in ms: a clock that was never set shows the same after 20 days. */
const oldestInSeconds = 366 * 86_400_000

/**
 * Whether a time that is far too early is a good one when it is taken for seconds since the epoch.
 * @param time as the device sent it
 * @param now when it came, in ms since the epoch
 */
export function looksLikeSeconds(time: number, now: number): boolean {
  return time * 1000 >= now - oldestInSeconds && time * 1000 <= now + furthestAhead
}

/** Whether the clock that showed a time, in ms since the epoch, was never set: what it dates counts as received now. */
export function isClockUnset(time: number, now: number): boolean {
  return time >= 0 && time < earliestClock && !looksLikeSeconds(time, now)
}
