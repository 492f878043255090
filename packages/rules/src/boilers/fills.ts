/** A time at which an autofill let water into a heating system; times in ms since the epoch, pressures in bar. */
export interface Fill {
  start: number
  end: number
  before: number
  after: number
}

/** A rise of the pressure that warmth alone does not bring, in bar. */
const leastRise = 0.25
/** What a pressure goes up and down while nothing is filled, in bar. */
const noise = 0.1

/** The fills that the pressure of a system tells of, the newest first. Readings ascend; a null value is a gap. */
export function fillsIn(readings: readonly { date: number; value: number | null }[]): Fill[] {
  const fills: Fill[] = []
  let rise: Fill | undefined
  const close = () => {
    if (rise && rise.after - rise.before >= leastRise) fills.push(rise)
    rise = undefined
  }
  let last: { date: number; value: number } | undefined
  for (const { date, value } of readings) {
    if (value === null) continue
    if (last && value - last.value > noise)
      rise = rise
        ? { ...rise, end: date, after: value }
        : { start: last.date, end: date, before: last.value, after: value }
    else if (rise && value > rise.after) rise = { ...rise, end: date, after: value }
    else close()
    last = { date, value }
  }
  close()
  return fills.reverse()
}

/** How many fills began within the last so many days before `now`. */
export function fillsWithin(fills: readonly Fill[], days: number, now: number): number {
  return fills.filter(({ start }) => now - start <= days * 86_400_000).length
}

/** Pressures between which an autofill keeps a system, in bar. */
export interface KeptBand {
  low: number
  high: number
}

/**
 * Between which pressures an autofill keeps a system, as its fills tell: no autofill reports its settings. The middle one of
 * several counts, so that one that filled too late or not enough does not; a single fill tells nothing.
 */
export function keptBand(fills: readonly Pick<Fill, 'before' | 'after'>[]): KeptBand | undefined {
  if (fills.length < 2) return undefined
  const middle = (values: number[]) => Math.round(values.toSorted((a, b) => a - b)[values.length >> 1]! * 10) / 10
  const [low, high] = [middle(fills.map(({ before }) => before)), middle(fills.map(({ after }) => after))]
  return low < high ? { low, high } : undefined
}
