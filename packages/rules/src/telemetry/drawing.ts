import type { Day } from '../calendar/days.ts'
import { dayAfter, dayAt, startOfDay, localTime } from '../calendar/days.ts'

/** Chart constants in pixels (devices specification, section 9). */
export const hoverDistance = 15
export const snapGrid = 15
/** Margins of an events chart: the time axis below its rows, and its edges. */
export const eventMargins = { axis: 30, edge: 5 } as const

/** Maximum ticks of a time axis, by its width in pixels. */
export function ticksFor(width: number): number {
  return width > 1000 ? 9 : width > 600 ? 6 : 4
}

/** A position on an events chart, snapped to its grid and limited to the chart. */
export function snapped(x: number, width: number): number {
  const last = Math.floor(Math.max(0, width - eventMargins.edge) / snapGrid) * snapGrid
  return Math.min(last, Math.max(0, Math.round(x / snapGrid) * snapGrid))
}

/** Height of an events chart: two grid lines per row. */
export function eventChartHeight(rows: number): number {
  return rows * 2 * snapGrid + eventMargins.axis + eventMargins.edge
}

const minute = 60_000
const hour = 60 * minute
const day = 24 * hour

/** Rounded steps between ticks; months follow the calendar. */
const steps = [
  ...[1, 2, 5, 10, 15, 30].map((n) => n * minute),
  ...[1, 2, 3, 6, 12].map((n) => n * hour),
  ...[1, 2, 3, 7, 14].map((n) => n * day),
]
const monthLength = 30 * day
const months = [1, 2, 3, 6, 12, 24, 60, 120, 600, 1200]

/**
 * The ticks of a time axis in ms, and the step between them: at full hours, midnights and months in the zone, also
 * across clock changes, and at most `most`.
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
    // Skips steps with far too many ticks.
    if ((to - from) / step > most + 1) continue
    const found = within(times(), from, to)
    if (found.length <= most) return { times: found, step }
  }
  return { times: [], step: to - from }
}

/** Times in the hour skipped in spring coincide with the hour after it. */
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
    // A day may be an hour longer; the search is limited to the range.
    const first = Math.max(0, Math.floor((from - start) / step) - hour / Math.min(hour, step))
    for (let n = first; n < day / step && start + n * step <= to + hour; n++) {
      const guess = start + n * step
      // Corrects for a clock change in between.
      const exact = guess - (localTime(guess, zone) - midnight - n * step)
      times.push(localTime(exact, zone) === midnight + n * step ? exact : guess)
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
 * The limits of a value axis: the chart's limits, extended to readings beyond them, with a margin around the readings
 * where the chart sets none.
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

/** Share of the height below an axis break. */
const belowBreak = 0.1

/** A break of an axis that shortens the part below the readings; the axis still begins at its minimum. */
export interface AxisBreak {
  /** Above it the axis has full scale. */
  at: number
  /** The height of a unit below the break, relative to above. */
  scale: number
}

/**
 * The break of an axis whose readings are far above its minimum, so that their course fills the height; undefined if
 * they reach far enough down.
 */
export function axisBreak(low: number, high: number, min: number): AxisBreak | undefined {
  const at = Math.floor((low - 0.5) / 2) * 2
  if (at - min <= high - at) return undefined
  return { at, scale: (belowBreak * (high - at)) / ((1 - belowBreak) * (at - min)) }
}

/** Round ticks of a value axis between two values, at most `most`. */
export function valueTicks(low: number, high: number, most: number): number[] {
  const rough = Math.max((high - low) / Math.max(1, most), Number.EPSILON)
  const power = 10 ** Math.floor(Math.log10(rough))
  const step = [1, 2, 5, 10].map((one) => one * power).find((one) => one >= rough)!
  const first = Math.ceil(low / step)
  return Array.from({ length: Math.floor(high / step) - first + 1 }, (_, at) =>
    Number(((first + at) * step).toPrecision(12)),
  )
}

/** Gaps longer than this share of the range are marked. */
const longGap = 0.08

/** The long gaps of a range, from reading times in order, all in ms. */
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

/** The number of days of a range with readings, and its total days, in the given zone. */
export function daysRead(times: readonly number[], { from, to }: { from: number; to: number }, zone: string) {
  const read = new Set(times.filter((time) => time >= from && time <= to).map((time) => dayAt(time, zone)))
  return { read: read.size, of: days(from, to, zone).length }
}
