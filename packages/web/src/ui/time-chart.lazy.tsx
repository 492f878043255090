import 'uplot/dist/uPlot.min.css'
import { useLayoutEffect, useRef } from 'react'
import uPlot from 'uplot'
import type { AxisBreak } from '@caretaker/rules/telemetry/drawing.ts'
import {
  axisBreak,
  gapsIn,
  hoverDistance,
  ticksFor,
  timeTicks,
  valueRange,
  valueTicks,
} from '@caretaker/rules/telemetry/drawing.ts'
import type { TimeRange } from '@caretaker/rules/telemetry/ranges.ts'
import { clockTime } from './age.ts'
import { gutterFor, rightEdgeFor } from './chart/gutter.ts'
import { heldTime, holdOrResume, joinCharts, onHeldChange, point, pointedAt } from './chart/held-time.ts'
import {
  figure,
  gapWords,
  timesRead,
  type Aligned,
  type Band,
  type Limit,
  type Marks,
  type Moment,
  type Shade,
} from './chart/readings.ts'
import { timeLabels } from './chart/time-labels.ts'
import { useZone } from './zone.tsx'
import classes from './time-chart.module.css'

/** The time under the cursor and, for each series, its nearest value. */
export interface CursorReading {
  time: number
  values: (number | null | undefined)[]
}

/** The drawing options of the lines; changes only if one of them does. */
export interface Drawing {
  /** The colour of each line, from 1. */
  colours: readonly number[]
  /** Whether the axis is broken if readings are far above its start. */
  breaks: boolean
  /** Whether long gaps are marked. */
  marksGaps: boolean
  /** The end of the axis, unless a reading is beyond it. */
  min: number | null
  max: number | null
  /** Whether readings are bars instead of lines. */
  bars: boolean
  /** Whether the axis leaves room for labels of an events chart. */
  wide: boolean
  band: Band | undefined
  shades: readonly Shade[] | undefined
  marks: Marks | undefined
  moments: readonly Moment[]
  limits: readonly Limit[]
}

interface PlotProps {
  data: Aligned
  /** Milliseconds. */
  from: number
  to: number
  syncKey: string
  height: number
  drawing: Drawing
  onCursor: (reading: CursorReading | undefined) => void
}

/** The name has a space: unquoted, the canvas falls back to a serif font. */
const font = '11px "Inter Variable", sans-serif'

const colours = new Map<string, string>()

/** A colour of the page in the current scheme. Cached, because reading it forces a style recalculation. */
function variable(name: string): string {
  const key = `${document.documentElement.dataset['mantineColorScheme']} ${name}`
  const known = colours.get(key) ?? getComputedStyle(document.documentElement).getPropertyValue(name)
  if (known) colours.set(key, known)
  return known
}

const colourOf = ({ colours }: Drawing, place: number) => variable(`--series-${colours[place] ?? 1}`)

/**
 * The lines; remount (by key) for another number of lines, height or sync key. In a separate file, because the drawing
 * library must not be in the first script.
 */
export default function Plot({ data, from, to, syncKey, height, drawing, onCursor }: PlotProps) {
  const zone = useZone()
  const element = useRef<HTMLDivElement>(null)
  const plot = useRef<uPlot>(undefined)
  const shown = useRef({ data, from, to })
  const count = data.values.length

  // Before painting: it is drawn in the same frame in which its width is known.
  useLayoutEffect(() => {
    const box = element.current
    if (!box) return undefined
    const range = (): [number, number] => [shown.current.from / 1000, shown.current.to / 1000]
    const make = (width: number) => {
      const chart = new uPlot(
        options({ width, height, count, key: syncKey, range, zone, drawing, onCursor, read: () => shown.current.data }),
        inSeconds(shown.current.data, drawing),
        box,
      )
      plot.current = chart
      chart.over.addEventListener('click', (event) => onClick(chart, syncKey, event))
      if (heldTime(syncKey) !== undefined) showHeld(chart, syncKey)
    }
    // Observes the width after layout: reading it would force a layout per chart.
    const sizes = new ResizeObserver(() => {
      const width = box.clientWidth
      if (width === 0) return
      if (!plot.current) make(width)
      else if (plot.current.width !== width) plot.current.setSize({ width, height })
    })
    sizes.observe(box)
    const undo = [
      joinCharts(syncKey),
      onHeldChange(() => plot.current && showHeld(plot.current, syncKey)),
      onLook(() => plot.current?.redraw(false, true)),
    ]
    return () => {
      for (const step of undo) step()
      sizes.disconnect()
      plot.current?.destroy()
      plot.current = undefined
    }
  }, [count, height, syncKey, zone, drawing, onCursor])

  useLayoutEffect(() => {
    shown.current = { data, from, to }
    plot.current?.setData(inSeconds(data, drawing))
    if (plot.current && heldTime(syncKey) !== undefined) showHeld(plot.current, syncKey)
  }, [data, from, to, syncKey, drawing])

  return <div ref={element} className={classes.plot} style={{ height }} />
}

function inSeconds({ times, values }: Aligned, { bars }: Drawing): uPlot.AlignedData {
  const drawn = bars && values.length > 1 ? stacked(values) : values
  return [times.map((time) => time / 1000), ...drawn] as uPlot.AlignedData
}

/** Stacked bars: each includes all after it, which are drawn over it. */
function stacked(values: Aligned['values']): Aligned['values'] {
  return values.map((own, index) =>
    own.map((_, place) => {
      const parts = values.slice(index).flatMap((one) => one[place] ?? [])
      return parts.length ? parts.reduce((sum, part) => sum + part, 0) : null
    }),
  )
}

/** Calls when the theme or font changes; returns a function that unsubscribes. */
function onLook(redraw: () => void): () => void {
  const themes = new MutationObserver(redraw)
  themes.observe(document.documentElement, { attributeFilter: ['data-mantine-color-scheme'] })
  if (!document.fonts.check(font)) void document.fonts.load(font).then(redraw)
  return () => themes.disconnect()
}

function showHeld(chart: uPlot, key: string): void {
  const time = heldTime(key)
  if (time !== undefined) {
    chart.setCursor({ left: chart.valToPos(time / 1000, 'x'), top: 1 })
    return
  }
  const at = pointedAt(key)
  // Lines share their cursor in the library.
  if (at?.onLines || chart.over.matches(':hover')) return
  chart.setCursor(at ? { left: chart.valToPos(at.time / 1000, 'x'), top: 1 } : { left: -10, top: -10 })
}

function onClick(chart: uPlot, key: string, event: PointerEvent): void {
  const left = event.clientX - chart.over.getBoundingClientRect().left
  const time = chart.data[0][chart.posToIdx(left)]
  holdOrResume(key, time === undefined ? undefined : time * 1000, event.pointerType === 'touch')
}

interface Options extends Pick<PlotProps, 'height' | 'drawing' | 'onCursor'> {
  width: number
  count: number
  key: string
  /** Seconds. */
  range: () => [number, number]
  zone: string
  /** The displayed readings: bars are stacked. */
  read: () => Aligned
}

function options({ width, height, count, key, range, zone, drawing, onCursor, read }: Options): uPlot.Options {
  const unlessHeld: uPlot.Cursor.MouseListenerFactory = (chart, _target, handler) => (event) => {
    if (heldTime(key) === undefined) {
      handler(event)
      const { left = -1 } = chart.cursor
      point(key, left >= 0 ? { time: chart.posToVal(left, 'x') * 1000, onLines: true } : undefined)
    }
    return null
  }
  // Requested several times per draw, and time zone calculations are slow.
  let known: { from: number; to: number; most: number; ticks: ReturnType<typeof timeTicks> } | undefined
  const ticks = (chart: uPlot) => {
    const [from, to] = range()
    const most = ticksFor(chart.width)
    if (known?.from !== from || known.to !== to || known.most !== most)
      known = { from, to, most, ticks: timeTicks(from * 1000, to * 1000, most, zone) }
    return known.ticks
  }
  const none: uPlot.Cursor.MouseListenerFactory = () => null
  let broken: AxisBreak | undefined
  const axis = {
    font,
    stroke: () => variable('--dimmed'),
    grid: { stroke: () => variable('--line'), width: 1 },
    ticks: { show: false },
  }
  return {
    width,
    height,
    padding: [8, (chart) => rightEdgeFor(chart.width, { wide: drawing.wide, limits: drawing.limits.length > 0 }), 0, 0],
    legend: { show: false },
    tzDate: (time) => uPlot.tzDate(new Date(time * 1000), zone),
    scales: {
      x: { range },
      // Extends to the limit, so that the distance to it is visible.
      y: {
        range: (_chart, low, high) => {
          const values = drawing.limits.map(({ value }) => value)
          broken = undefined
          if (low === null) return [0, 1]
          const [least, most] = [Math.min(low, ...values), Math.max(high, ...values)]
          const [bottom, top] = valueRange(least, most, drawing)
          if (drawing.breaks && drawing.min !== null) {
            const even = Math.ceil((most + 0.5) / 2) * 2
            broken = axisBreak(least, even, bottom)
            if (broken) return [bottom, even]
          }
          return aboveMarks([bottom, top], drawing)
        },
        ...(drawing.breaks && {
          distr: 100,
          fwd: (value: number) =>
            !broken || value >= broken.at ? value : broken.at - (broken.at - value) * broken.scale,
          bwd: (value: number) =>
            !broken || value >= broken.at ? value : broken.at - (broken.at - value) / broken.scale,
        }),
      },
    },
    cursor: {
      y: false,
      // A bar covers its whole day, a reading its moment.
      ...(!drawing.bars && { hover: { prox: hoverDistance } }),
      // Dragging is disabled, so no click is the end of a drag.
      drag: { x: false, y: false, setScale: false, click: () => {} },
      sync: { key, setSeries: false, scales: ['x', null] },
      points: {
        size: 9,
        width: 2,
        fill: (_chart, series) => colourOf(drawing, series - 1),
        stroke: () => variable('--surface'),
      },
      bind: {
        mousemove: unlessHeld,
        mouseenter: unlessHeld,
        mouseleave: unlessHeld,
        mousedown: none,
        mouseup: none,
        dblclick: none,
      },
    },
    series: [
      {},
      ...Array.from({ length: count }, (_, index) => ({
        stroke: () => colourOf(drawing, index),
        ...(drawing.bars
          ? {
              width: 0,
              fill: () => `color-mix(in srgb, ${colourOf(drawing, index)} 55%, ${variable('--surface')})`,
              paths: uPlot.paths.bars!({ size: [0.72, 64], radius: 0.06 }),
              points: { show: false },
            }
          : { width: 1.5, points: { size: 4, fill: () => colourOf(drawing, index) } }),
      })),
    ],
    axes: [
      {
        ...axis,
        size: 26,
        gap: 6,
        splits: (chart) => ticks(chart).times.map((time) => time / 1000),
        values: (chart, times) => {
          const [from, to] = range()
          return timeLabels(times, ticks(chart).step / 1000, to - from, zone)
        },
      },
      {
        ...axis,
        size: (chart) => gutterFor(chart.width, drawing.wide),
        gap: 8,
        space: 32,
        ...(drawing.breaks && {
          // The default filter of this scale would show only few of them.
          filter: (_chart: uPlot, splits: number[]) => splits,
          splits: (chart: uPlot, _axis: number, low: number, high: number) => {
            const most = Math.floor(chart.bbox.height / devicePixelRatio / 32)
            return broken ? [low, ...valueTicks(broken.at, high, most - 1)] : valueTicks(low, high, most)
          },
        }),
        values: (_chart, values) => values.map(figure),
      },
    ],
    hooks: {
      drawClear: [
        (chart) => drawing.marksGaps && drawGaps(chart, gapsIn(timesRead(read()), inMilliseconds(range())), zone),
        (chart) => drawing.band && drawBand(chart, drawing.band),
        (chart) => drawing.shades?.forEach((shade) => drawShade(chart, shade)),
        (chart) => drawing.marks && drawMarks(chart, drawing.marks),
      ],
      draw: [
        (chart) => broken && drawBreak(chart, broken),
        (chart) => drawing.limits.forEach((limit) => drawLimit(chart, limit)),
        (chart) => drawMoments(chart, drawing.moments, zone),
      ],
      setCursor: [
        (chart) => {
          const { idx, idxs, left = -1 } = chart.cursor
          const nearest = idx == null ? undefined : chart.data[0][idx]
          if (nearest === undefined) return onCursor(undefined)
          // One time on all charts, whose readings have different times; a bar covers its day.
          const time = heldTime(key) ?? Math.round(chart.posToVal(left, 'x') * 1000)
          return onCursor({ time: drawing.bars ? nearest * 1000 : time, values: valuesAt(read(), idxs) })
        },
      ],
    },
  }
}

/** The share of a chart, from its axis up, for event bars; lines stay above it. */
const marksShare = 0.18

function aboveMarks([low, high]: [number, number], { marks }: Drawing): [number, number] {
  return marks ? [low - (high - low) * (marksShare / (1 - marksShare)), high] : [low, high]
}

/** Events as bars, scaled to the largest. */
function drawMarks(chart: uPlot, { all }: Marks): void {
  const { ctx, bbox } = chart
  const largest = Math.max(...all.map(({ size }) => size))
  ctx.save()
  ctx.fillStyle = variable('--series-1')
  for (const { at, size } of all) {
    const height = bbox.height * (marksShare - 0.03) * (size / largest)
    const width = 4 * devicePixelRatio
    ctx.fillRect(chart.valToPos(at / 1000, 'x', true) - width / 2, bbox.top + bbox.height - height, width, height)
  }
  ctx.restore()
}

/** A shaded time behind the lines, with its text at the top if it fits. */
function drawShade(chart: uPlot, { from, to, label }: Shade): void {
  const { ctx, bbox } = chart
  const [left, right] = [chart.valToPos(from / 1000, 'x', true), chart.valToPos(to / 1000, 'x', true)]
  const dot = devicePixelRatio
  ctx.save()
  ctx.beginPath()
  ctx.rect(bbox.left, bbox.top, bbox.width, bbox.height)
  ctx.clip()
  ctx.fillStyle = variable('--status-failed-tint')
  // Visible however short.
  const width = Math.max(right - left, 2 * dot)
  ctx.fillRect(left, bbox.top, width, bbox.height)
  ctx.font = font.replace('11px', `600 ${11 * dot}px`)
  if (ctx.measureText(label).width < width + 20 * dot && width > 24 * dot) {
    ctx.fillStyle = variable('--status-failed-text')
    ctx.textBaseline = 'top'
    const atEnd = right >= bbox.left + bbox.width - dot
    ctx.textAlign = atEnd ? 'right' : 'left'
    ctx.fillText(label, atEnd ? bbox.left + bbox.width - 6 * dot : left + 6 * dot, bbox.top + 4 * dot)
  }
  ctx.restore()
}

/** The control range behind the lines. */
function drawBand(chart: uPlot, { low, high, label }: Band): void {
  const { ctx, bbox } = chart
  const [top, bottom] = [chart.valToPos(high, 'y', true), chart.valToPos(low, 'y', true)]
  ctx.save()
  ctx.beginPath()
  ctx.rect(bbox.left, bbox.top, bbox.width, bbox.height)
  ctx.clip()
  ctx.fillStyle = variable('--status-passed-tint')
  ctx.fillRect(bbox.left, top, bbox.width, bottom - top)
  const dot = devicePixelRatio
  ctx.font = font.replace('11px', `${11 * dot}px`)
  ctx.fillStyle = variable('--status-passed-text')
  ctx.textAlign = 'left'
  // The text is above the band if there is room, otherwise below it.
  const isAbove = top - bbox.top > 16 * dot
  const isBelow = bbox.top + bbox.height - bottom > 16 * dot
  ctx.textBaseline = isAbove ? 'bottom' : 'top'
  ctx.fillText(label, bbox.left + 8 * dot, isAbove ? top - 3 * dot : (isBelow ? bottom : top) + 4 * dot)
  ctx.restore()
}

/** A limit line with its text, if the axis reaches it. */
function drawLimit(chart: uPlot, { value, label }: Limit): void {
  const { ctx, bbox } = chart
  const y = Math.round(chart.valToPos(value, 'y', true))
  if (y < bbox.top || y > bbox.top + bbox.height) return
  const dot = devicePixelRatio
  ctx.save()
  ctx.strokeStyle = variable('--status-failed-text')
  ctx.lineWidth = dot
  ctx.setLineDash([5 * dot, 4 * dot])
  ctx.beginPath()
  ctx.moveTo(bbox.left, y)
  ctx.lineTo(bbox.left + bbox.width, y)
  ctx.stroke()
  // Its text is beside the plot, where there are no lines.
  ctx.setLineDash([])
  ctx.font = font.replace('11px', `${11 * dot}px`)
  ctx.textAlign = 'left'
  ctx.textBaseline = 'middle'
  ctx.fillStyle = variable('--status-failed-text')
  const [line, ...rest] = label.split(/ (?=below|above)/)
  const x = bbox.left + bbox.width + 6 * dot
  const half = rest.length ? 6.5 * dot : 0
  ctx.fillText(line!, x, y - half)
  if (rest.length) ctx.fillText(rest.join(' '), x, y + half)
  ctx.restore()
}

/** Two strokes across the axis where it omits values. */
function drawBreak(chart: uPlot, { at }: AxisBreak): void {
  const { ctx, bbox } = chart
  const dot = devicePixelRatio
  const y = (chart.valToPos(at, 'y', true) + bbox.top + bbox.height) / 2
  ctx.save()
  ctx.strokeStyle = variable('--dimmed')
  ctx.lineWidth = dot
  for (const shift of [-2, 2]) {
    ctx.beginPath()
    ctx.moveTo(bbox.left - 4 * dot, y + (shift + 2) * dot)
    ctx.lineTo(bbox.left + 4 * dot, y + (shift - 2) * dot)
    ctx.stroke()
  }
  ctx.restore()
}

/** Gaps, hatched, with a text if it fits. */
function drawGaps(chart: uPlot, gaps: readonly TimeRange[], zone: string): void {
  const { ctx, bbox } = chart
  const dot = devicePixelRatio
  ctx.font = font.replace('11px', `${11 * dot}px`)
  for (const gap of gaps) {
    const [left, right] = [chart.valToPos(gap.from / 1000, 'x', true), chart.valToPos(gap.to / 1000, 'x', true)]
    ctx.save()
    ctx.beginPath()
    ctx.rect(left, bbox.top, right - left, bbox.height)
    ctx.clip()
    ctx.strokeStyle = variable('--line')
    ctx.lineWidth = dot
    ctx.beginPath()
    for (let x = left - bbox.height; x < right; x += 8 * dot) {
      ctx.moveTo(x, bbox.top + bbox.height)
      ctx.lineTo(x + bbox.height, bbox.top)
    }
    ctx.stroke()
    const words = gapWords(gap, zone)
    const width = ctx.measureText(words).width + 16 * dot
    if (width < right - left) {
      const [x, y] = [(left + right - width) / 2, bbox.top + bbox.height - 34 * dot]
      ctx.fillStyle = variable('--surface')
      ctx.fillRect(x, y, width, 22 * dot)
      ctx.fillStyle = variable('--text-2')
      ctx.textBaseline = 'middle'
      ctx.fillText(words, x + 8 * dot, y + 11 * dot)
    }
    ctx.restore()
  }
}

const inMilliseconds = ([from, to]: [number, number]): TimeRange => ({ from: from * 1000, to: to * 1000 })

/** Actions, with time and text at the top if they fit before the next one. */
function drawMoments(chart: uPlot, moments: readonly Moment[], zone: string): void {
  const { ctx, bbox } = chart
  const dot = devicePixelRatio
  const end = bbox.left + bbox.width
  ctx.save()
  ctx.font = font.replace('11px', `600 ${11 * dot}px`)
  ctx.textBaseline = 'top'
  ctx.lineJoin = 'round'
  let taken = bbox.left
  for (const { at, label } of moments) {
    const x = Math.round(chart.valToPos(at / 1000, 'x', true))
    if (x < bbox.left || x > end) continue
    ctx.fillStyle = variable('--dimmed')
    ctx.fillRect(x, bbox.top, dot, bbox.height)
    const words = `${clockTime(at, zone)} ${label}`
    const width = ctx.measureText(words).width + 6 * dot
    const start = x + width <= end ? x + 6 * dot : x - width
    if (start < taken) continue
    taken = start + width
    // Readable over any lines.
    ctx.lineWidth = 4 * dot
    ctx.strokeStyle = variable('--surface')
    ctx.fillStyle = variable('--text')
    ctx.strokeText(words, start, bbox.top + 2 * dot)
    ctx.fillText(words, start, bbox.top + 2 * dot)
  }
  ctx.restore()
}

/** Each series at its own nearest reading, because their times may differ. */
function valuesAt({ values }: Aligned, places: (number | null)[] | undefined): (number | null | undefined)[] {
  return values.map((one, index) => {
    const place = places?.[index + 1]
    return place == null ? undefined : one[place]
  })
}
