import { dateTimeText } from '../age.ts'

/** One line of a chart. */
export interface ChartSeries {
  id: string
  label: string
  unit: string
  /** Ascending; `date` in milliseconds, a null value is a time without readings and stays a gap. */
  points: readonly Reading[]
  /** The newest reading of all, shown while the pointer is elsewhere; the last of the points if not given. */
  latest?: { date: number; value: number } | null
  /** Its colour, from 1, where that does not follow from its place. */
  colour?: number
}
export interface Reading {
  date: number
  value: number | null
}

/** Between which values it is kept, drawn behind the lines. */
export interface Band {
  low: number
  high: number
  /** What it says: 'Kept between 1.0 and 1.5 bar'. */
  label: string
}

/** A time that is shaded behind the lines, in milliseconds. */
export interface Shade {
  from: number
  to: number
  /** What it says: 'Locked out'. */
  label: string
}

/** Things that happened beneath the lines, each as a bar of its size from the axis up. */
export interface Marks {
  /** What one of them is: 'Fill'. */
  label: string
  /** Milliseconds, and a size above 0. */
  all: readonly { at: number; size: number }[]
}

/** Something that was done at a moment, as a line across the chart with its words. */
export interface Moment {
  /** Milliseconds. */
  at: number
  /** What it says: 'Immersion heater asked on'. */
  label: string
}

/** A value that readings should not pass. */
export interface Limit {
  value: number
  /** What it says: 'Damp limit above 70 %'. */
  label: string
}

/** Series over common times: `undefined` where another series has a reading and this one has not. */
export interface Aligned {
  /** Milliseconds, ascending. */
  times: number[]
  values: (number | null | undefined)[][]
}

export function align(series: readonly ChartSeries[]): Aligned {
  const first = series[0]?.points ?? []
  if (series.every(({ points }) => hasSameTimes(points, first))) {
    return {
      times: first.map((point) => point.date),
      values: series.map(({ points }) => points.map((point) => point.value)),
    }
  }
  // Sorted as numbers, and walked beside each series: a set and a map of some thousand instants are felt at a press.
  const instants = Float64Array.from(series.flatMap(({ points }) => points.map((point) => point.date))).sort()
  const times = Array.from(instants.filter((time, at) => time !== instants[at - 1]))
  const values = series.map(({ points }) => {
    const column = Array.from<number | null | undefined>({ length: times.length })
    let place = 0
    for (const { date, value } of points) {
      while (times[place]! < date) place++
      column[place] = value
    }
    return column
  })
  return { times, values }
}

function hasSameTimes(a: readonly Reading[], b: readonly Reading[]): boolean {
  return a === b || (a.length === b.length && a.every((point, index) => point.date === b[index]!.date))
}

export function hasReadings(series: readonly ChartSeries[]): boolean {
  return series.some(({ points }) => points.some((point) => point.value !== null))
}

/** A value with its unit, e.g. '64.4 °C'; counts have none. */
export function reading(value: number | null | undefined, unit: string): string {
  if (value == null) return '–'
  return unit === 'count' ? figure(value) : `${figure(value)}\u00A0${unit}`
}

/** By digits after the point. Made once: a page of charts writes hundreds of figures. */
const formats = [0, 1, 2].map((digits) => new Intl.NumberFormat('en-GB', { maximumFractionDigits: digits }))

/** With as many digits as somebody reads: hundredths of what is small, tenths of a temperature, none of thousands. */
export function figure(value: number): string {
  const size = Math.abs(value)
  return formats[size >= 1000 ? 0 : size >= 10 ? 1 : 2]!.format(value)
}

/** What a line shows, in a sentence, for those who do not see it. */
export function inWords({ label, unit, points }: ChartSeries, zone: string): string {
  const readings = points.filter((point): point is { date: number; value: number } => point.value !== null)
  const last = readings.at(-1)
  if (!last) return `${label}: no readings.`
  let [lowest, highest] = [last, last]
  for (const one of readings) {
    if (one.value < lowest.value) lowest = one
    if (one.value > highest.value) highest = one
  }
  const at = (one: { date: number; value: number }) => `${reading(one.value, unit)} on ${dateTimeText(one.date, zone)}`
  const gaps = points.filter((point, index) => point.value === null && points[index - 1]?.value !== null).length
  const pauses = gaps === 0 ? '' : ` ${gaps} ${gaps === 1 ? 'pause' : 'pauses'} without readings.`
  return `${label}: last ${at(last)}, lowest ${at(lowest)}, highest ${at(highest)}.${pauses}`
}

/** At most `most` indices from 0 to `count` - 1, evenly spread, the first and the last among them. */
export function thinned(count: number, most: number): number[] {
  if (count <= most) return Array.from({ length: count }, (_, index) => index)
  return Array.from({ length: most }, (_, index) => Math.round((index * (count - 1)) / (most - 1)))
}

/** Times, ascending, at which any of the series has a value. */
export const timesRead = ({ times, values }: Aligned): number[] =>
  times.filter((_, at) => values.some((column) => column[at] != null))

/** Of a part of a range without readings, in words: by its days, or by its times where it is shorter. */
export function gapWords({ from, to }: { from: number; to: number }, zone: string): string {
  const day = 86_400_000
  const [first, last] =
    to - from >= 2 * day
      ? [dateTimeText(from, zone).slice(0, 10), dateTimeText(to, zone).slice(0, 10)]
      : [dateTimeText(from, zone), dateTimeText(to, zone)]
  return `No readings from ${first} to ${last}`
}
