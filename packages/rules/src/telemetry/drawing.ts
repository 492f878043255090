import type { Day } from '../calendar/days.ts'
import { dayAfter, dayAt, startOfDay, wallTime } from '../calendar/days.ts'

/** How charts are drawn, in pixels (devices specification, section 9). */
export const hoverDistance = 15
export const snapGrid = 15
/** Of an events chart: below its rows stands the time axis, and its edges stay clear of what is drawn. */
export const eventMargins = { axis: 30, edge: 5 } as const

/** Ticks of a time axis at most, by its width in pixels. */
export function ticksFor(width: number): number {
  return width > 1000 ? 9 : width > 600 ? 6 : 4
}

/** A place on an events chart moved to the nearest line of its grid, within the chart. */
export function snapped(x: number, width: number): number {
  const last = Math.floor(Math.max(0, width - eventMargins.edge) / snapGrid) * snapGrid
  return Math.min(last, Math.max(0, Math.round(x / snapGrid) * snapGrid))
}

/** Height of an events chart with so many rows: each takes two lines of the grid. */
export function eventChartHeight(rows: number): number {
  return rows * 2 * snapGrid + eventMargins.axis + eventMargins.edge
}

const minute = 60_000
const hour = 60 * minute
const day = 24 * hour

/** Steps between two ticks that a person would choose; months are counted by the calendar. */
const steps = [
  ...[1, 2, 5, 10, 15, 30].map((n) => n * minute),
  ...[1, 2, 3, 6, 12].map((n) => n * hour),
  ...[1, 2, 3, 7, 14].map((n) => n * day),
]
const monthLength = 30 * day
const months = [1, 2, 3, 6, 12, 24, 60, 120, 600, 1200]

/**
 * Where a time axis has its ticks, in milliseconds, and the step between them: at full hours, midnights and months by the clocks
 * of the zone, also where these change, and no more than `most`.
 */
export function timeTicks(from: number, to: number, most: number, zone: string): { times: number[]; step: number } {
  const ways: [step: number, times: () => number[]][] = [
    ...steps.map((step): [number, () => number[]] => [
      step,
      () => (step < day ? clockTimes(from, to, step, zone) : midnights(from, to, step / day, zone)),
    ]),
    ...months.map((apart): [number, () => number[]] => [
      apart * monthLength,
      () => firstsOfMonths(from, to, apart, zone),
    ]),
  ]
  for (const [step, times] of ways) {
    // What is far too many is not worth counting.
    if ((to - from) / step > most + 1) continue
    const found = within(times(), from, to)
    if (found.length <= most) return { times: found, step }
  }
  return { times: [], step: to - from }
}

/** Times of the hour that is left out in spring are those of the hour after it once more. */
const within = (times: readonly number[], from: number, to: number) =>
  [...new Set(times)].filter((time) => time >= from && time <= to).sort((a, b) => a - b)

function days(from: number, to: number, zone: string): Day[] {
  const found: Day[] = []
  for (let one = dayAt(from, zone); startOfDay(one, zone) <= to; one = dayAfter(one, 1)) found.push(one)
  return found
}

function clockTimes(from: number, to: number, step: number, zone: string): number[] {
  return days(from, to, zone).flatMap((one) => {
    const [start, midnight] = [startOfDay(one, zone), Date.parse(`${one}T00:00:00Z`)]
    const times: number[] = []
    // A day may be an hour longer, and no other is looked at than the range has.
    const first = Math.max(0, Math.floor((from - start) / step) - hour / Math.min(hour, step))
    for (let n = first; n < day / step && start + n * step <= to + hour; n++) {
      const guess = start + n * step
      // Where the clocks were changed in the meantime the hour comes earlier or later.
      const exact = guess - (wallTime(guess, zone) - midnight - n * step)
      times.push(wallTime(exact, zone) === midnight + n * step ? exact : guess)
    }
    return times
  })
}

function midnights(from: number, to: number, apart: number, zone: string): number[] {
  const number = (one: Day) => Date.parse(`${one}T00:00:00Z`) / day
  return days(from, to, zone)
    .filter((one) => number(one) % apart === 0)
    .map((one) => startOfDay(one, zone))
}

function firstsOfMonths(from: number, to: number, apart: number, zone: string): number[] {
  const [year = 0, month = 1] = dayAt(from, zone).split('-').map(Number)
  const times: number[] = []
  for (let n = Math.floor((year * 12 + month - 1) / apart) * apart; ; n += apart) {
    const at = startOfDay(new Date(Date.UTC(Math.floor(n / 12), n % 12, 1)).toISOString().slice(0, 10), zone)
    if (at > to) return times
    times.push(at)
  }
}

/**
 * The ends of a value axis: those that the chart asks for, moved out where readings lie beyond, and a little room around the
 * readings on a side for which it asks nothing.
 */
export function valueRange(
  low: number,
  high: number,
  { min, max }: { min: number | null; max: number | null },
): [low: number, high: number] {
  const room = (high - low || Math.abs(high)) * 0.08 || 1
  const bottom = min === null ? low - room : Math.min(min, low)
  const top = max === null ? high + room : Math.max(max, high)
  return bottom < top ? [bottom, top] : [bottom - 1, top + 1]
}

/** Share of the height that an axis leaves to values below its break. */
const belowBreak = 0.1

/** An axis that leaves out most of what lies below its readings: it still begins where it should. */
export interface AxisBreak {
  /** Above it the axis is drawn in full. */
  at: number
  /** The height of a unit below it, in units above. */
  scale: number
}

/**
 * Where an axis is broken whose readings lie far above its beginning, so that their course fills the height; undefined where they reach
 * down far enough.
 */
export function axisBreak(low: number, high: number, min: number): AxisBreak | undefined {
  const at = Math.floor((low - 0.5) / 2) * 2
  if (at - min <= high - at) return undefined
  return { at, scale: (belowBreak * (high - at)) / ((1 - belowBreak) * (at - min)) }
}

/** Ticks of a value axis at round figures from one value to another, and no more than `most`. */
export function valueTicks(low: number, high: number, most: number): number[] {
  const rough = Math.max((high - low) / Math.max(1, most), Number.EPSILON)
  const power = 10 ** Math.floor(Math.log10(rough))
  const step = [1, 2, 5, 10].map((one) => one * power).find((one) => one >= rough)!
  const first = Math.ceil(low / step)
  return Array.from({ length: Math.floor(high / step) - first + 1 }, (_, at) =>
    Number(((first + at) * step).toPrecision(12)),
  )
}

/** Parts of a range without readings that are longer than this share of it are told as such. */
const longGap = 0.08

/** The long parts of a range in which nothing was read, by the times of readings in their order, all in milliseconds. */
export function gapsIn(
  times: readonly number[],
  { from, to }: { from: number; to: number },
): { from: number; to: number }[] {
  const known = [from, ...times.filter((time) => time >= from && time <= to), to]
  const least = Math.max(longGap * (to - from), 6 * hour)
  return known.flatMap((time, at) => {
    const next = known[at + 1]
    return next !== undefined && next - time > least ? [{ from: time, to: next }] : []
  })
}

/** On how many days of a range something was read, and how many it has; by the clocks of the zone. */
export function daysRead(times: readonly number[], { from, to }: { from: number; to: number }, zone: string) {
  const read = new Set(times.filter((time) => time >= from && time <= to).map((time) => dayAt(time, zone)))
  return { read: read.size, of: days(from, to, zone).length }
}
