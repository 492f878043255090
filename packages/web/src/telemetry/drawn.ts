import type { Chart, Series } from '@caretaker/contract/telemetry.ts'
import type { TimeRange } from '@caretaker/rules/telemetry/ranges.ts'
import { seriesColours } from '@caretaker/rules/telemetry/cards.ts'

/** The chart; undefined if the server has no data for this card (devices specification, section 8). */
export function usable(chart: Chart | undefined): Chart | undefined {
  if (!chart) return undefined
  const series = chart.dataSeries as { series: Series['series'] | null }[] | null
  const hasSeries = series !== null && series.every((one) => one.series !== null)
  return hasSeries && (chart.eventSeries as unknown) !== null ? chart : undefined
}

/** The series of a chart that become lines: those without readings have none, unless there are no readings at all. */
export function linesOf({ dataSeries }: Pick<Chart, 'dataSeries'>): readonly Series[] {
  const known = dataSeries.filter(({ series, latest }) => series.length > 0 || latest !== null)
  return known.length ? known : dataSeries
}

/** The colour of a chart's first line, from 1; the others follow. */
export const firstColourOf = ({ color }: Pick<Chart, 'color'>): number => ownColour(color ?? undefined) ?? 1

/** The number in a series colour name; undefined for a line whose colour follows from its position. */
export function ownColour(color: string | undefined): number | undefined {
  const digit = /\d$/.exec(color ?? '')?.[0]
  return digit === undefined ? undefined : Number(digit)
}

/** The colour of a line, from 1, according to its position among the drawn lines. */
export const colourOf = (first: number, place: number) => ((first - 1 + place) % seriesColours) + 1

/** The end of the shown range: the rest of today has no data yet. */
export function shownUntil({ from, to }: TimeRange, now = Date.now()): TimeRange {
  return { from, to: Math.max(from + 1, Math.min(to, now)) }
}

export const isEmpty = ({ dataSeries, eventSeries }: Pick<Chart, 'dataSeries' | 'eventSeries'>): boolean =>
  eventSeries.length === 0 && dataSeries.every(({ series }) => series.length === 0)
