type Readings = readonly { date: number; value: number | null }[]

/**
 * A signal decrease before its device went silent: from the usual value to the last reading, in the signal's unit;
 * `since` in ms.
 */
export interface SignalFall {
  usual: number
  last: number
  since: number
  /** Time of the last reading, in ms. */
  until: number
}

/**
 * The smallest decrease that counts. Our own values: 10 dB is a tenth of the power, more than weather causes; for link
 * quality, in %, a fifth of the scale.
 */
const leastFall = { gsmSignal: 10, linkQuality: 20 }
/** Smaller variations are usual. */
const usualShare = 0.5
/** Earlier readings needed to determine the usual value. */
const leastReadings = 12

/**
 * The decrease of a signal up to its last reading. Readings ascend; a null value is a gap. Undefined if there is none
 * or too little data: a single low reading does not count.
 */
export function signalFall(metric: keyof typeof leastFall, readings: Readings): SignalFall | undefined {
  const known = readings.flatMap(({ date, value }) => (value === null ? [] : [{ date, value }]))
  const last = known.at(-1)
  if (!last) return undefined
  const usual = known.map(({ value }) => value).toSorted((a, b) => a - b)[known.length >> 1]!
  const isLow = (value: number) => value <= usual - leastFall[metric] * usualShare
  const first = known.findLastIndex(({ value }) => !isLow(value)) + 1
  const low = known.slice(first)
  if (first < leastReadings || low.length < 2 || last.value > usual - leastFall[metric]) return undefined
  return { usual, last: last.value, since: low[0]!.date, until: last.date }
}
