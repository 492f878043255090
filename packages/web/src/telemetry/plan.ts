import type { Chart } from '@caretaker/contract/telemetry.ts'
import type { Severity } from '@caretaker/rules/telemetry/events.ts'
import { eventChartHeight, snapGrid, ticksFor, timeTicks } from '@caretaker/rules/telemetry/drawing.ts'
import type { TimeRange } from '@caretaker/rules/telemetry/ranges.ts'
import { dateTimeText } from '../ui/age.ts'
import { labelGutter, rightEdgeFor } from '../ui/chart/gutter.ts'
import { reading } from '../ui/chart/readings.ts'
import { timeLabels } from '../ui/chart/time-labels.ts'
import { colourOf, firstColourOf, linesOf, ownColour } from './drawn.ts'

/** A card on the page: its content, and its size in pixels. */
export interface CardOnPage {
  chart: Chart
  /** The range of its events. */
  range: TimeRange
  width: number
  /** The size of its drawn lines; undefined without lines or if it shows its table. */
  plot: { width: number; height: number } | undefined
  /** The text without data. */
  empty: string
}

/** A text limited to the width `most`. */
interface Text {
  kind: 'text'
  text: string
  x: number
  y: number
  font: string
  colour: string
  most: number
}

/** A shape in pixels of the picture; colours are names of page colours. */
export type Shape =
  | Text
  | { kind: 'box'; x: number; y: number; width: number; height: number; colour: string }
  /** The lines of a card as shown on the page. */
  | { kind: 'plot'; card: string; x: number; y: number; width: number; height: number }

export interface Plan {
  width: number
  height: number
  shapes: Shape[]
}

const width = 1200
const margin = 24
const lineHeight = 22
const inner = width - 2 * margin
const fonts = { title: '600 18px', head: '600 14px', text: '13px', small: '11px' } as const

/** Measures the width of a text in pixels. */
export type Measure = (text: string, font: string) => number

interface Part {
  height: number
  shapes: Shape[]
}

/** The layout of a picture of cards, one below the other. */
export function planOf(cards: readonly CardOnPage[], title: string, zone: string, measure: Measure): Plan {
  const shapes: Shape[] = [textAt(title, margin, 2 * margin, fonts.title)]
  let y = 3 * margin
  for (const card of cards) {
    const part = partOf(card, zone, measure)
    shapes.push(...part.shapes.map((shape) => ({ ...shape, y: shape.y + y })))
    y += part.height + margin
  }
  return { width, height: y, shapes }
}

function textAt(text: string, x: number, y: number, font: string = fonts.text, colour = '--text'): Text {
  return { kind: 'text', text, x, y, font, colour, most: width - x - margin }
}

function partOf(card: CardOnPage, zone: string, measure: Measure): Part {
  const { chart, plot } = card
  if (chart.type === 'EventTimeline') return chart.eventSeries.length ? lanesOf(card, zone) : wordsOf(card)
  return chart.type === 'Linear' && plot ? plotOf(card, plot, measure) : wordsOf(card)
}

/** The lines, under a legend in their colours. */
function plotOf({ chart }: CardOnPage, plot: { width: number; height: number }, measure: Measure): Part {
  const height = (plot.height * inner) / plot.width
  const shapes: Shape[] = [textAt(chart.title, margin, 14, fonts.head)]
  let [x, y] = [margin + measure(chart.title, fonts.head) + margin, 14]
  for (const [place, { label, color }] of linesOf(chart).entries()) {
    const length = 18 + measure(label, fonts.text)
    // Wraps to the next line.
    if (x + length > width - margin && x > margin) [x, y] = [margin, y + lineHeight]
    const colour = `--series-${ownColour(color) ?? colourOf(firstColourOf(chart), place)}`
    shapes.push({ kind: 'box', x, y: y - 6, width: 12, height: 3, colour }, textAt(label, x + 18, y))
    x += length + margin
  }
  const top = y + lineHeight - 14
  shapes.push({ kind: 'plot', card: chart.id, x: margin, y: top, width: inner, height })
  return { height: top + height, shapes }
}

const severityColours = {
  High: '--status-failed-solid',
  Medium: '--status-warning-solid',
  Low: '--status-not-installed-solid',
} as const satisfies Record<Severity, string>

const rowHeight = 2 * snapGrid
/** The smallest width of a bar. */
const leastWidth = 6

/** One row per category, aligned with the lines that show its cause. */
function lanesOf({ chart, range: { from, to }, width: onPage }: CardOnPage, zone: string): Part {
  const scale = inner / onPage
  const left = margin + labelGutter * scale
  const right = width - margin - rightEdgeFor(onPage, { wide: true, limits: false }) * scale
  const at = (time: number) => left + ((Math.min(Math.max(time, from), to) - from) / (to - from)) * (right - left)
  const rows = [...Map.groupBy(chart.eventSeries, ({ category }) => category)]
  const top = lineHeight
  const bottom = top + rows.length * rowHeight
  const ticks = timeTicks(from, to, ticksFor(inner), zone)
  const seconds = ticks.times.map((time) => time / 1000)
  const labels = timeLabels(seconds, ticks.step / 1000, (to - from) / 1000, zone)
  const shapes: Shape[] = [textAt(chart.title, margin, 14, fonts.head)]
  for (const [index, time] of ticks.times.entries()) {
    shapes.push({ kind: 'box', x: at(time), y: top, width: 1, height: bottom - top, colour: '--line' })
    shapes.push(textAt(labels[index]!, at(time) + 2, bottom + 16, fonts.small, '--dimmed'))
  }
  for (const [row, [category, events]] of rows.entries()) {
    const y = top + row * rowHeight
    shapes.push({ ...textAt(category, margin, y + 19), most: left - margin - 8 })
    for (const { start, end, severity, description } of events) {
      const begun = Math.min(at(Date.parse(start)), right - leastWidth)
      const length = Math.max(leastWidth, at(end === null ? to : Date.parse(end)) - begun)
      shapes.push({ kind: 'box', x: begun, y: y + 8, width: length, height: 14, colour: severityColours[severity] })
      if (end === null) shapes.push(textAt(`${description.split(':')[0]}, still active`, begun + 4, y + 7, fonts.small))
    }
  }
  const height = top + eventChartHeight(rows.length)
  if (chart.eventsSince === null) return { height, shapes }
  const words = `Some events that began before ${dateTimeText(chart.eventsSince, zone)} are left out.`
  return { height: height + lineHeight, shapes: [...shapes, textAt(words, margin, height + 14)] }
}

/** A figure as text; also for a card shown as a table or not at all. */
function wordsOf({ chart, empty }: CardOnPage): Part {
  const lines =
    chart.type === 'EventTimeline' ? [] : linesOf(chart).flatMap((one) => lastOf(chart, one.label, one.series) ?? [])
  // The same note as on its card.
  const more = chart.type === 'Numeric' && chart.subTitle !== null ? [chart.subTitle] : []
  const words = lines.length || more.length ? [...lines, ...more] : [empty]
  return {
    height: (words.length + 1) * lineHeight,
    shapes: [
      textAt(chart.title, margin, 14, fonts.head),
      ...words.map((line, index) => textAt(line, margin, 14 + (index + 1) * lineHeight)),
    ],
  }
}

function lastOf({ type, units }: Chart, label: string, series: Chart['dataSeries'][number]['series']) {
  const value = series.findLast((one) => one.value !== null)?.value
  if (value === undefined) return undefined
  return type === 'Numeric' ? reading(value, units) : `${label}: ${reading(value, units)}`
}
