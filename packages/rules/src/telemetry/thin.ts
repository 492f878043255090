/** A reading: date in milliseconds since the epoch. */
export interface Point {
  date: number
  value: number
}

/** A point as a chart draws it; a null value breaks the line. */
export interface ChartPoint {
  date: number
  value: number | null
}

const second = 1000
const minute = 60 * second
const hour = 60 * minute
const day = 24 * hour

/**
 * Bucket widths that a person would choose, so that buckets stay where they are while a range moves on. From a quarter of an hour on
 * they consist of whole quarters.
 */
const widths = [
  ...[1, 2, 5, 10, 15, 20, 30, 60, 90].map((n) => n * second),
  ...[2, 5, 10, 15, 30].map((n) => n * minute),
  ...[1, 2, 3, 4, 6, 8, 12].map((n) => n * hour),
  ...[1, 2, 3, 4, 5, 7, 14, 30].map((n) => n * day),
]
/** Buckets of one series: a week in steps of a quarter of an hour, two pixels wide where a chart is. Each gives two points at most. */
const mostBuckets = 672

/**
 * Of each of these spans of a day an outline keeps the first, the lowest, the highest and the last reading, in ms: whatever is thinned
 * to spans of so many of them, or to wider ones that consist of whole ones, comes out the same from it as from all readings.
 */
export const outlineWidth = 15 * minute

/** How wide buckets are, in milliseconds, for readings that extend over the given time. */
export function bucketWidth(extent: number): number {
  return widths.find((width) => extent / width <= mostBuckets) ?? extent / mostBuckets
}

/** A line is broken where no reading came for longer than this: three reporting intervals, at least 15 minutes. */
export function longestSilence(reportingIntervalSeconds: number): number {
  return Math.max(3 * reportingIntervalSeconds * second, 15 * minute)
}

interface Thinning {
  /** Of buckets, in milliseconds. */
  width: number
  /** Where two readings lie further apart than this, in milliseconds, the line is broken. */
  silence: number
}

/** Readings in order of time, as two columns: a week of six series are 60,000 of them, too many to be an object each. */
export interface Readings {
  /** Milliseconds since the epoch. */
  dates: ArrayLike<number>
  values: ArrayLike<number>
}

/**
 * Thins readings in order of time so that no extreme is lost: of each bucket the lowest and the highest reading stay, as they
 * were and in their order, and the first and the last of all. A silence longer than allowed and than a bucket is a null
 * in its middle.
 */
export function thin({ dates, values }: Readings, { width, silence }: Thinning): ChartPoint[] {
  const kept: ChartPoint[] = []
  const longest = Math.max(silence, width)
  const count = dates.length
  for (let start = 0; start < count;) {
    const bucket = Math.floor(dates[start]! / width)
    let [low, high, end] = [start, start, start + 1]
    for (; end < count && Math.floor(dates[end]! / width) === bucket; end++) {
      if (values[end]! < values[low]!) low = end
      if (values[end]! > values[high]!) high = end
    }
    const wanted = [Math.min(low, high), Math.max(low, high)]
    if (start === 0) wanted.unshift(0)
    if (end === count) wanted.push(count - 1)
    let last = -1
    for (const index of wanted) if (index !== last) kept.push({ date: dates[(last = index)]!, value: values[index]! })
    if (end < count && dates[end]! - dates[end - 1]! > longest)
      kept.push({ date: Math.round((dates[end - 1]! + dates[end]!) / 2), value: null })
    start = end
  }
  return kept
}

/** Parts of a range that a small line is made of: more would show the noise of readings rather than their course. */
const smoothParts = 28

/** The means of the parts of a range, each in the middle of its part; a part without readings is a gap. */
export function smoothed(
  points: readonly { date: number; value: number | null }[],
  { from, to }: { from: number; to: number },
): { date: number; value: number | null }[] {
  const length = (to - from) / smoothParts
  const parts = Array.from({ length: smoothParts }, () => ({ sum: 0, count: 0 }))
  for (const { date, value } of points) {
    const part = parts[Math.min(smoothParts - 1, Math.floor((date - from) / length))]
    if (!part || value === null) continue
    part.sum += value
    part.count++
  }
  const means = parts.map(({ sum, count }, at) => ({
    date: from + (at + 0.5) * length,
    value: count ? sum / count : null,
  }))
  // Sparse readings are drawn as they are: there is no noise in them.
  return points.length < smoothParts ? [...points] : means
}
