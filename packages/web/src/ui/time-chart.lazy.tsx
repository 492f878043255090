import 'uplot/dist/uPlot.min.css'
import { useEffect, useRef } from 'react'
import uPlot from 'uplot'
import { hoverDistance, ticksFor, timeTicks, valueRange } from '@caretaker/rules/telemetry/drawing.ts'
import { gutterFor } from './chart/gutter.ts'
import { heldTime, holdOrResume, joinCharts, onHeldChange, point, pointedAt } from './chart/held-time.ts'
import { figure, type Aligned, type Band } from './chart/readings.ts'
import { timeLabels } from './chart/time-labels.ts'
import { seriesColourCount } from './theme.ts'
import { useZone } from './zone.tsx'
import classes from './time-chart.module.css'

/** What stands under the cursor: the time and, for each series, its value there. */
export interface CursorReading {
  time: number
  values: (number | null | undefined)[]
}

/** How lines are drawn; made anew only when something of it changes. */
export interface Drawing {
  /** The colour of the first line, from 0; the others follow. */
  colour: number
  /** Where the axis ends as long as no reading lies beyond. */
  min: number | null
  max: number | null
  /** Whether readings are bars instead of lines. */
  bars: boolean
  /** Whether labels of an events chart must find room beside its axis. */
  wide: boolean
  band: Band | undefined
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

/** The name has a space: unquoted, the canvas falls back to a serif. */
const font = '11px "Inter Variable", sans-serif'

function variable(name: string): string {
  return getComputedStyle(document.documentElement).getPropertyValue(name)
}

export function seriesColour(index: number): string {
  return `--series-${(index % seriesColourCount) + 1}`
}

/** The lines themselves; to be made anew (by key) for another number of lines, height or sync key. In a file of its own, because the drawing library must not be in the first script. */
export default function Plot({ data, from, to, syncKey, height, drawing, onCursor }: PlotProps) {
  const zone = useZone()
  const element = useRef<HTMLDivElement>(null)
  const plot = useRef<uPlot>(undefined)
  const range = useRef<[number, number]>([from / 1000, to / 1000])
  const count = data.values.length

  useEffect(() => {
    const box = element.current
    if (!box) return undefined
    const chart = new uPlot(
      options({ width: box.clientWidth, height, count, key: syncKey, range, zone, drawing, onCursor }),
      undefined,
      box,
    )
    plot.current = chart
    const undo = [joinCharts(syncKey), onHeldChange(() => showHeld(chart, syncKey)), follow(chart, box, height)]
    chart.over.addEventListener('click', (event) => onClick(chart, syncKey, event))
    return () => {
      for (const step of undo) step()
      chart.destroy()
      plot.current = undefined
    }
  }, [count, height, syncKey, zone, drawing, onCursor])

  useEffect(() => {
    range.current = [from / 1000, to / 1000]
    plot.current?.setData([data.times.map((time) => time / 1000), ...data.values] as uPlot.AlignedData)
    if (plot.current && heldTime(syncKey) !== undefined) showHeld(plot.current, syncKey)
  }, [data, from, to, syncKey])

  return <div ref={element} className={classes.plot} style={{ height }} />
}

/** Draws anew when the box, the theme or the font changes. */
function follow(chart: uPlot, box: HTMLElement, height: number): () => void {
  const sizes = new ResizeObserver(() => {
    if (box.clientWidth === chart.width || box.clientWidth === 0) return
    chart.setSize({ width: box.clientWidth, height })
  })
  sizes.observe(box)
  const themes = new MutationObserver(() => chart.redraw(false, true))
  themes.observe(document.documentElement, { attributeFilter: ['data-mantine-color-scheme'] })
  if (!document.fonts.check(font)) void document.fonts.load(font).then(() => chart.redraw(false, true))
  return () => {
    sizes.disconnect()
    themes.disconnect()
  }
}

function showHeld(chart: uPlot, key: string): void {
  const time = heldTime(key)
  if (time !== undefined) {
    chart.setCursor({ left: chart.valToPos(time / 1000, 'x'), top: 1 })
    return
  }
  const at = pointedAt(key)
  // What the lines point at they share among themselves.
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
  range: { current: [number, number] }
  zone: string
}

function options({ width, height, count, key, range, zone, drawing, onCursor }: Options): uPlot.Options {
  const unlessHeld: uPlot.Cursor.MouseListenerFactory = (chart, _target, handler) => (event) => {
    if (heldTime(key) === undefined) {
      handler(event)
      const { left = -1 } = chart.cursor
      point(key, left >= 0 ? { time: chart.posToVal(left, 'x') * 1000, onLines: true } : undefined)
    }
    return null
  }
  // Asked for several times each time it is drawn, and clocks of a zone are slow to ask.
  let known: { from: number; to: number; most: number; ticks: ReturnType<typeof timeTicks> } | undefined
  const ticks = (chart: uPlot) => {
    const [from, to] = range.current
    const most = ticksFor(chart.width)
    if (known?.from !== from || known.to !== to || known.most !== most)
      known = { from, to, most, ticks: timeTicks(from * 1000, to * 1000, most, zone) }
    return known.ticks
  }
  const none: uPlot.Cursor.MouseListenerFactory = () => null
  const axis = {
    font,
    stroke: () => variable('--dimmed'),
    grid: { stroke: () => variable('--line'), width: 1 },
    ticks: { show: false },
  }
  return {
    width,
    height,
    padding: [8, 20, 0, 0],
    legend: { show: false },
    tzDate: (time) => uPlot.tzDate(new Date(time * 1000), zone),
    scales: {
      x: { range: () => range.current },
      y: { range: (_chart, low, high) => (low === null ? [0, 1] : valueRange(low, high, drawing)) },
    },
    cursor: {
      y: false,
      // A bar stands for its whole day, a reading for its moment.
      ...(!drawing.bars && { hover: { prox: hoverDistance } }),
      // Nothing is dragged, so no click is the end of a drag that must not count.
      drag: { x: false, y: false, setScale: false, click: () => {} },
      sync: { key, setSeries: false, scales: ['x', null] },
      points: {
        size: 9,
        width: 2,
        fill: (_chart, series) => variable(seriesColour(drawing.colour + series - 1)),
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
        stroke: () => variable(seriesColour(drawing.colour + index)),
        ...(drawing.bars
          ? {
              width: 0,
              fill: () => `color-mix(in srgb, ${variable(seriesColour(drawing.colour + index))} 55%, transparent)`,
              paths: uPlot.paths.bars!({ size: [0.72, 64], radius: 0.06 }),
              points: { show: false },
            }
          : { width: 1.5, points: { size: 4, fill: () => variable(seriesColour(drawing.colour + index)) } }),
      })),
    ],
    axes: [
      {
        ...axis,
        size: 26,
        gap: 6,
        splits: (chart) => ticks(chart).times.map((time) => time / 1000),
        values: (chart, times) => {
          const [from, to] = range.current
          return timeLabels(times, ticks(chart).step / 1000, to - from, zone)
        },
      },
      {
        ...axis,
        size: (chart) => gutterFor(chart.width, drawing.wide),
        gap: 8,
        space: 32,
        values: (_chart, values) => values.map(figure),
      },
    ],
    hooks: {
      drawClear: [(chart) => drawing.band && drawBand(chart, drawing.band)],
      setCursor: [
        (chart) => {
          const { idx, idxs } = chart.cursor
          const time = idx == null ? undefined : chart.data[0][idx]
          if (time === undefined) onCursor(undefined)
          else onCursor({ time: time * 1000, values: valuesAt(chart, idxs) })
        },
      ],
    },
  }
}

/** The values between which it is kept, behind the lines. */
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
  // Where the lines leave it room: above the band, else below it.
  const isAbove = top - bbox.top > 16 * dot
  const isBelow = bbox.top + bbox.height - bottom > 16 * dot
  ctx.textBaseline = isAbove ? 'bottom' : 'top'
  ctx.fillText(label, bbox.left + 8 * dot, isAbove ? top - 3 * dot : (isBelow ? bottom : top) + 4 * dot)
  ctx.restore()
}

/** Each series at its own nearest reading, because their times may differ. */
function valuesAt(chart: uPlot, places: (number | null)[] | undefined): (number | null | undefined)[] {
  return chart.data.slice(1).map((values, index) => {
    const place = places?.[index + 1]
    return place == null ? undefined : (values as (number | null | undefined)[])[place]
  })
}
