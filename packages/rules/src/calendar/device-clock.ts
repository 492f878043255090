/** Earliest plausible device time, in ms: clocks that were never set start in 1970, in 2000 or at the firmware date. */
export const earliestClock = Date.UTC(2015, 0, 1)
/** How far a device clock may be ahead, in ms. */
export const furthestAhead = 5 * 60_000
/** Oldest accepted reading, in ms. */
export const oldestReading = 7 * 86_400_000

/** Oldest time interpreted as seconds, in ms: an unset clock reaches the same value after 20 days. */
const oldestInSeconds = 366 * 86_400_000

/**
 * Whether an implausibly early time is plausible when read as seconds since the epoch.
 * @param time as the device sent it
 * @param now time of receipt, in ms since the epoch
 */
export function looksLikeSeconds(time: number, now: number): boolean {
  return time * 1000 >= now - oldestInSeconds && time * 1000 <= now + furthestAhead
}

/**
 * Whether the device clock behind a time (ms since the epoch) was never set; such data is dated with its time of
 * receipt.
 */
export function isClockUnset(time: number, now: number): boolean {
  return time >= 0 && time < earliestClock && !looksLikeSeconds(time, now)
}
