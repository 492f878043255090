import type { Chart } from '@caretaker/contract/telemetry.ts'
import type { Severity } from '@caretaker/rules/telemetry/events.ts'
import { eventChartHeight, snapGrid, ticksFor, timeTicks } from '@caretaker/rules/telemetry/drawing.ts'
import type { TimeRange } from '@caretaker/rules/telemetry/ranges.ts'
import { dateTimeText } from '../ui/age.ts'
import { labelGutter, rightEdgeFor } from '../ui/chart/gutter.ts'
import { reading } from '../ui/chart/readings.ts'
import { timeLabels } from '../ui/chart/time-labels.ts'
import { colourOf, firstColourOf, linesOf, ownColour } from './drawn.ts'

/** A card as it stands on the page: what it shows, and its size there in pixels. */
export interface CardOnPage {
  chart: Chart
  /** What its events are drawn over. */
  range: TimeRange
  width: number
  /** Of its lines as they are painted; undefined where it has none or shows its table. */
  plot: { width: number; height: number } | undefined
  /** What it says without data. */
  empty: string
}

/** Words that take no more room than `most`. */
interface Text {
  kind: 'text'
  text: string
  x: number
  y: number
  font: string
  colour: string
  most: number
}

/** Something to be drawn, in pixels of the picture; a colour is the name of a colour of the page. */
export type Shape =
  | Text
  | { kind: 'box'; x: number; y: number; width: number; height: number; colour: string }
  /** The lines of a card, as the page shows them. */
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

/** How wide a text is, in pixels. */
export type Measure = (text: string, font: string) => number

interface Part {
  height: number
  shapes: Shape[]
}

/** A picture of cards as they stand on the page, one below the other: what is drawn where. */
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

/** The lines as they are painted, under a legend in their colours. */
function plotOf({ chart }: CardOnPage, plot: { width: number; height: number }, measure: Measure): Part {
  const height = (plot.height * inner) / plot.width
  const shapes: Shape[] = [textAt(chart.title, margin, 14, fonts.head)]
  let [x, y] = [margin + measure(chart.title, fonts.head) + margin, 14]
  for (const [place, { label, color }] of linesOf(chart).entries()) {
    const length = 18 + measure(label, fonts.text)
    // What finds no room goes on in the next line.
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
/** A bar that is shorter is drawn so wide. */
const leastWidth = 6

/** A row for each category, under the lines that show its cause: its edges are theirs. */
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

/** A figure, and what is shown as a table or not at all, in words. */
function wordsOf({ chart, empty }: CardOnPage): Part {
  const lines =
    chart.type === 'EventTimeline' ? [] : linesOf(chart).flatMap((one) => lastOf(chart, one.label, one.series) ?? [])
  // As its card has it: why there is no figure, or what is said below it.
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
