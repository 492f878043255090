/** A reading; date in ms since the epoch. */
export interface Point {
  date: number
  value: number
}

/** A chart point; a null value interrupts the line. */
export interface ChartPoint {
  date: number
  value: number | null
}

const second = 1000
const minute = 60 * second
const hour = 60 * minute
const day = 24 * hour

/**
 * Round bucket widths, so that buckets stay in place while a range moves. From a quarter of an hour they are multiples
 * of it.
 */
const widths = [
  ...[1, 2, 5, 10, 15, 20, 30, 60, 90].map((n) => n * second),
  ...[2, 5, 10, 15, 30].map((n) => n * minute),
  ...[1, 2, 3, 4, 6, 8, 12].map((n) => n * hour),
  ...[1, 2, 3, 4, 5, 7, 14, 30].map((n) => n * day),
]
/** Maximum buckets per series: a week in quarter hours, two pixels each. Each yields at most two points. */
const mostBuckets = 672

/**
 * Width in ms of the spans for which an outline keeps the first, lowest, highest and last reading. Thinning the outline
 * to multiples of this width produces the same result as thinning all readings.
 */
export const outlineWidth = 15 * minute

/** Bucket width in ms for readings over the given duration. */
export function bucketWidth(extent: number): number {
  return widths.find((width) => extent / width <= mostBuckets) ?? extent / mostBuckets
}

/** A line is interrupted if no reading arrived for longer than this: three reporting intervals, at least 15 minutes. */
export function longestSilence(reportingIntervalSeconds: number): number {
  return Math.max(3 * reportingIntervalSeconds * second, 15 * minute)
}

interface Thinning {
  /** Bucket width in ms. */
  width: number
  /** The longest time between two readings of a continuous line, in ms. */
  silence: number
}

/** Readings in order of time, as two columns: a week of six series has 60,000, too many for one object each. */
export interface Readings {
  /** Ms since the epoch. */
  dates: ArrayLike<number>
  values: ArrayLike<number>
}

/**
 * Thins readings in order of time without losing extremes: of each bucket the lowest and highest reading are kept
 * unchanged and in order, as are the first and last of all. A silence longer than allowed and than a bucket becomes a
 * null in its middle.
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

/** Parts of a range in a sparkline: more would show noise. */
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
  // Sparse readings have no noise and are drawn unchanged.
  return points.length < smoothParts ? [...points] : means
}
