type Readings = readonly { date: number; value: number | null }[]

/** How a signal fell before its device fell silent: from what it usually is to its last reading, in its own unit; `since` in ms. */
export interface SignalFall {
  usual: number
  last: number
  since: number
  /** When it was read last, in ms. */
  until: number
}

/**
 * Below the usual by so much a signal is told to have fallen. Ours: 10 dB is a tenth of the power, which no weather takes; of a link's
 * quality, in %, a fifth of the scale.
 */
const leastFall = { gsmSignal: 10, linkQuality: 20 }
/** What wanders by less is usual. */
const usualShare = 0.5
/** Readings that must have gone before, to say what is usual. */
const leastReadings = 12

/**
 * Whether a signal fell until its last reading, and since when. Readings ascend; a null value is a gap. Undefined where it did not, or where
 * too little is known: a single low reading is none.
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
