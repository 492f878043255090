import { dateTimeText } from '../age.ts'

/** One line of a chart. */
export interface ChartSeries {
  id: string
  label: string
  unit: string
  /** Ascending; `date` in milliseconds, a null value is a gap. */
  points: readonly Reading[]
  /** The newest reading, shown without a pointer; the last point by default. */
  latest?: { date: number; value: number } | null
  /** Its colour, from 1, if it does not follow from its position. */
  colour?: number
}
export interface Reading {
  date: number
  value: number | null
}

/** The control range, drawn behind the lines. */
export interface Band {
  low: number
  high: number
  /** The text, for example 'Kept between 1.0 and 1.5 bar'. */
  label: string
}

/** A shaded time behind the lines, in milliseconds. */
export interface Shade {
  from: number
  to: number
  /** The text, for example 'Locked out'. */
  label: string
}

/** Events below the lines, each as a bar of its size from the axis up. */
export interface Marks {
  /** The name of one event, for example 'Fill'. */
  label: string
  /** Milliseconds, and a size above 0. */
  all: readonly { at: number; size: number }[]
}

/** An action at a moment, as a labelled line across the chart. */
export interface Moment {
  /** Milliseconds. */
  at: number
  /** The text, for example 'Immersion heater asked on'. */
  label: string
}

/** A limit for readings. */
export interface Limit {
  value: number
  /** The text, for example 'Damp limit above 70 %'. */
  label: string
}

/** Series over common times: `undefined` if only another series has a reading. */
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
  // Sorted numerically and merged: a set and map of thousands of instants would be noticeably slow.
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

/** A value with its unit, for example '64.4 °C'; counts have none. */
export function reading(value: number | null | undefined, unit: string): string {
  if (value == null) return '–'
  return unit === 'count' ? figure(value) : `${figure(value)}\u00A0${unit}`
}

/** By number of decimals. Cached, because a page of charts formats hundreds of figures. */
const formats = [0, 1, 2].map((digits) => new Intl.NumberFormat('en-GB', { maximumFractionDigits: digits }))

/** With sensible precision: hundredths of small values, tenths of a temperature, none of thousands. */
export function figure(value: number): string {
  const size = Math.abs(value)
  return formats[size >= 1000 ? 0 : size >= 10 ? 1 : 2]!.format(value)
}

/** A line as a sentence, for screen readers. */
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

/** At most `most` indices from 0 to `count` - 1, evenly spread, including the first and last. */
export function thinned(count: number, most: number): number[] {
  if (count <= most) return Array.from({ length: count }, (_, index) => index)
  return Array.from({ length: most }, (_, index) => Math.round((index * (count - 1)) / (most - 1)))
}

/** The times, ascending, at which any series has a value. */
export const timesRead = ({ times, values }: Aligned): number[] =>
  times.filter((_, at) => values.some((column) => column[at] != null))

/** A gap in words: by its days, or by its times if shorter. */
export function gapWords({ from, to }: { from: number; to: number }, zone: string): string {
  const day = 86_400_000
  const [first, last] =
    to - from >= 2 * day
      ? [dateTimeText(from, zone).slice(0, 10), dateTimeText(to, zone).slice(0, 10)]
      : [dateTimeText(from, zone), dateTimeText(to, zone)]
  return `No readings from ${first} to ${last}`
}
