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

/** Bucket widths that a person would choose, so that buckets stay where they are while a range moves on. */
const widths = [
  ...[1, 2, 5, 10, 15, 20, 30, 60, 90].map((n) => n * second),
  ...[2, 5, 10, 15, 20, 30].map((n) => n * minute),
  ...[1, 2, 3, 4, 6, 8, 12].map((n) => n * hour),
  ...[1, 2, 3, 4, 5, 7, 14, 30].map((n) => n * day),
]
/** Buckets of one series: a week in steps of ten minutes. Each gives two points at most. */
const mostBuckets = 1008

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

/**
 * Thins readings in order of time so that no extreme is lost: of each bucket the lowest and the highest reading stay, as they
 * were and in their order, and the first and the last of all. A silence longer than allowed and than a bucket is a null
 * in its middle.
 */
export function thin(points: readonly Point[], { width, silence }: Thinning): ChartPoint[] {
  const kept: ChartPoint[] = []
  const bucket = (point: Point) => Math.floor(point.date / width)
  const longest = Math.max(silence, width)
  let start = 0
  for (let end = 1; end <= points.length; end++) {
    const last = points[end - 1]!
    const next = points[end]
    if (next && bucket(next) === bucket(last)) continue
    for (const index of extremes(points, start, end)) kept.push(points[index]!)
    if (next && next.date - last.date > longest)
      kept.push({ date: Math.round((last.date + next.date) / 2), value: null })
    start = end
  }
  return kept
}

/** Indexes of the lowest and the highest point from `start` to before `end`, and of the first and last of all. */
function extremes(points: readonly Point[], start: number, end: number): number[] {
  let [low, high] = [start, start]
  for (let index = start + 1; index < end; index++) {
    if (points[index]!.value < points[low]!.value) low = index
    if (points[index]!.value > points[high]!.value) high = index
  }
  const wanted = low < high ? [low, high] : low > high ? [high, low] : [low]
  if (start === 0 && wanted[0] !== 0) wanted.unshift(0)
  if (end === points.length && wanted.at(-1) !== end - 1) wanted.push(end - 1)
  return wanted
}
