import { memo, useCallback, useId, useMemo, useState } from 'react'
import { ActionIcon, Button } from '@mantine/core'
import { IconChartLine, IconInfoCircle, IconPlayerPlay, IconTable } from '../icons/index.ts'
import { daysRead, gapsIn } from '@caretaker/rules/telemetry/drawing.ts'
import type { TimeRange } from '@caretaker/rules/telemetry/ranges.ts'
import { Age } from './age-view.tsx'
import { dateTimeText, shortTimeText } from './age.ts'
import { resume, useHeldTime } from './chart/held-time.ts'
import {
  align,
  figure,
  gapWords,
  hasReadings,
  inWords,
  reading,
  thinned,
  timesRead,
  type Aligned,
  type Band,
  type ChartSeries,
  type Limit,
  type Marks,
  type Moment,
  type Shade,
} from './chart/readings.ts'
import { lazily } from './lazily.tsx'
import { Empty, Failed } from './states.tsx'
import type { CursorReading, Drawing } from './time-chart.lazy.tsx'
import { seriesColourCount } from './tokens.ts'
import { TimeOf, useZone } from './zone.tsx'
import classes from './time-chart.module.css'

const Plot = lazily(async () => (await import('./time-chart.lazy.tsx')).default)

/** Preloads the drawing library, in parallel with the readings. */
export const loadPlot = Plot.fetch

export interface TimeChartProps {
  title: string
  series: ChartSeries[]
  /** Milliseconds. */
  from: number
  to: number
  /** Charts of one key share cursor and held time. */
  syncKey: string
  status: 'loading' | 'ready' | 'failed'
  onRetry?: () => void
  /** The text without data. */
  empty?: string
  /** The height of the plot with its axes, in pixels. */
  height?: number
  /** The number of the first line's series colour, starting at 1. */
  colour?: number
  /** The end of the axis, unless a reading is beyond it. */
  rangeMin?: number | null
  rangeMax?: number | null
  /** Readings are bars, each covering this many milliseconds from its date on. */
  bars?: number | null
  /** Its axis is as wide as the labels of an events chart, to align both. */
  wide?: boolean
  /** The control range behind the lines; must be a stable object. */
  band?: Band | undefined
  /** Shaded times behind the lines; must be a stable array. */
  shades?: readonly Shade[] | undefined
  /** Events below the lines; must be a stable object. */
  marks?: Marks | undefined
  /** Actions as vertical lines; must be a stable array. */
  moments?: readonly Moment[]
  /** Limits as horizontal lines with texts; must be a stable array. */
  limits?: readonly Limit[]
  /** With two lines, also shows their difference. */
  difference?: boolean
  /** Its axis is broken if readings are far above its start. */
  breaks?: boolean
  /** Shows the number of days with readings, if some are missing. */
  countsDays?: boolean
}

const noGaps: readonly TimeRange[] = []
const noLimits: readonly Limit[] = []
const noMoments: readonly Moment[] = []

/**
 * Values over time in a card: readings at the cursor in the title row, one cursor through all charts of a key, held by
 * a click; also available as a table.
 */
export const TimeChart = memo(TimeChartCard, (before, after) => {
  const { series, onRetry: _retry, ...rest } = before
  const others = after as unknown as Record<string, unknown>
  return (
    Object.entries(rest).every(([name, value]) => others[name] === value) &&
    series.length === after.series.length &&
    series.every((one, index) => isSame(one, after.series[index]!))
  )
})

function isSame(one: ChartSeries, other: ChartSeries): boolean {
  const sameLatest = one.latest?.date === other.latest?.date && one.latest?.value === other.latest?.value
  return (
    one.id === other.id &&
    one.label === other.label &&
    one.unit === other.unit &&
    one.points === other.points &&
    one.colour === other.colour &&
    sameLatest
  )
}

function TimeChartCard({
  title,
  series,
  from,
  to,
  syncKey,
  status,
  onRetry,
  empty = 'No data available.',
  height = 220,
  colour = 1,
  rangeMin = null,
  rangeMax = null,
  bars = null,
  wide = false,
  band,
  shades,
  marks,
  moments = noMoments,
  limits = noLimits,
  difference = false,
  breaks = false,
  countsDays = false,
}: TimeChartProps) {
  const titleId = useId()
  const wordsId = useId()
  const data = useMemo(() => {
    const { times, values } = align(series)
    return { times: bars === null ? times : times.map((time) => time + bars / 2), values }
  }, [series, bars])
  const zone = useZone()
  const colours = series.map((one, at) => one.colour ?? ((colour - 1 + at) % seriesColourCount) + 1).join()
  const gaps = useMemo(
    () => (countsDays && bars === null ? gapsIn(timesRead(data), { from, to }) : noGaps),
    [countsDays, bars, data, from, to],
  )
  const drawing = useMemo(
    (): Drawing => ({
      colours: colours.split(',').map(Number),
      breaks,
      marksGaps: countsDays && bars === null,
      min: rangeMin,
      max: rangeMax,
      bars: bars !== null,
      wide,
      band,
      shades,
      marks,
      moments,
      limits,
    }),
    [colours, breaks, countsDays, rangeMin, rangeMax, bars, wide, band, shades, marks, moments, limits],
  )
  const [cursor, setCursor] = useState<CursorReading>()
  const [isTable, setTable] = useState(false)
  const onCursor = useCallback((reading: CursorReading | undefined) => {
    setCursor((old) => (old?.time === reading?.time && same(old?.values, reading?.values) ? old : reading))
  }, [])
  const ready = status === 'ready' && hasReadings(series)
  return (
    <section className={classes.card} aria-labelledby={titleId}>
      <header className={classes.head} data-many={series.length > 3 || undefined}>
        <div className={classes.titleLine}>
          <h2 id={titleId} className={classes.title}>
            {title}
          </h2>
          {ready && countsDays && bars === null && <DaysRead times={timesRead(data)} from={from} to={to} zone={zone} />}
        </div>
        {ready && <Values {...{ series, colours, marks, difference }} cursor={isTable ? undefined : cursor} />}
        {status === 'loading' && <span className={classes.note}>Loading</span>}
        {ready && <TableToggle {...{ title, isTable, setTable }} />}
      </header>
      <div className={classes.body} style={{ minHeight: height }}>
        {status === 'failed' && <Failed text="Something went wrong, please retry." onRetry={onRetry} />}
        {status === 'loading' && <Waiting height={height} label={title} />}
        {status === 'ready' && !ready && <Empty text={empty} />}
        {ready && isTable && <Readings title={title} series={series} data={data} height={height} />}
        {ready && !isTable && (
          <div role="img" aria-labelledby={titleId} aria-describedby={wordsId}>
            <Plot
              key={`${syncKey} ${series.length} ${height}`}
              data={data}
              from={from}
              to={to}
              syncKey={syncKey}
              height={height}
              drawing={drawing}
              onCursor={onCursor}
              fallback={<Waiting height={height} label={title} />}
            />
          </div>
        )}
        {ready && <Words id={wordsId} {...{ series, band, limits, shades, moments, gaps }} />}
      </div>
    </section>
  )
}

interface TableToggleProps {
  title: string
  isTable: boolean
  setTable: (isTable: boolean) => void
}

/** Switches between the chart and its table. */
export function TableToggle({ title, isTable, setTable }: TableToggleProps) {
  return (
    <ActionIcon
      size={28}
      className={classes.toggle}
      aria-label={isTable ? `Show ${title} as a chart` : `Show ${title} as a table`}
      onClick={() => setTable(!isTable)}
    >
      {isTable ? <IconChartLine size={16} aria-hidden /> : <IconTable size={16} aria-hidden />}
    </ActionIcon>
  )
}

function same(a: CursorReading['values'] | undefined, b: CursorReading['values'] | undefined): boolean {
  return a?.length === b?.length && (a ?? []).every((value, index) => value === b?.[index])
}

interface WordsProps {
  id: string
  series: ChartSeries[]
  band: Band | undefined
  limits: readonly Limit[]
  shades: readonly Shade[] | undefined
  moments: readonly Moment[]
  gaps: readonly TimeRange[]
}

/** The text alternative. It does not change while the pointer moves. */
const Words = memo(function Words({ id, series, band, limits, shades, moments, gaps }: WordsProps) {
  const zone = useZone()
  return (
    <p id={id} className="visually-hidden">
      {series.map((one) => inWords(one, zone)).join(' ')}
      {[...(band ? [band] : []), ...limits].map(({ label }) => ` ${label}.`).join('')}
      {shades?.map(({ from, to, label }) => ` ${label} from ${dateTimeText(from, zone)} to ${dateTimeText(to, zone)}.`)}
      {moments.map(({ at, label }) => ` ${label} at ${dateTimeText(at, zone)}.`)}
      {gaps.map((gap) => ` ${gapWords(gap, zone)}.`)}
    </p>
  )
})

interface DaysReadProps {
  times: number[]
  from: number
  to: number
  zone: string
}

/** The number of days with readings; nothing if complete. */
function DaysRead({ times, from, to, zone }: DaysReadProps) {
  const { read, of } = daysRead(times, { from, to }, zone)
  if (read >= of) return undefined
  return (
    <span className={classes.days}>
      <IconInfoCircle size={14} stroke={1.7} aria-hidden />
      {`Data for ${read} of ${of} days`}
    </span>
  )
}

interface ValuesProps {
  series: ChartSeries[]
  /** The colour of each line, from 1, separated by commas. */
  colours: string
  cursor: CursorReading | undefined
  marks: Marks | undefined
  difference: boolean
}

/** The newest readings, or those at the cursor. */
function Values({ series, colours, cursor, marks, difference }: ValuesProps) {
  const colourOf = colours.split(',')
  const latest = series.map((one) => one.latest ?? one.points.findLast((point) => point.value !== null))
  const zone = useZone()
  const newest = Math.max(...latest.map((one) => one?.date ?? 0))
  const [one, other] = cursor ? cursor.values : latest.map((value) => value?.value)
  return (
    <div className={classes.values}>
      <span className={classes.note}>
        {cursor ? (
          <span className="tabular">{shortTimeText(cursor.time, zone)}</span>
        ) : (
          newest > 0 && <Age at={newest} />
        )}
      </span>
      {series.map((one, index) => (
        <span key={one.id} className={classes.value}>
          <i style={{ background: `var(--series-${colourOf[index]})` }} aria-hidden />
          {one.label}
          <b>{reading(cursor ? cursor.values[index] : latest[index]?.value, one.unit)}</b>
        </span>
      ))}
      {difference && one != null && other != null && (
        <span className={classes.value}>
          Difference
          <b>{reading(Math.abs(one - other), series[0]!.unit)}</b>
        </span>
      )}
      {marks && (
        <span className={classes.value}>
          <i className={classes.mark} aria-hidden />
          {marks.label}
        </span>
      )}
    </div>
  )
}

const bars = [46, 64, 38, 72, 54, 84, 50, 66, 42, 76, 58, 48]

export function Waiting({ height, label }: { height: number; label: string }) {
  return (
    <div className={classes.waiting} style={{ height }} role="status">
      <span className="visually-hidden">Loading {label}</span>
      {bars.map((share, index) => (
        <span key={index} style={{ height: `${share}%` }} aria-hidden />
      ))}
    </div>
  )
}

/** The largest number of table rows. */
const tableRows = 200

interface ReadingsProps {
  title: string
  series: ChartSeries[]
  data: Aligned
  height: number
}

/** The readings as a table, newest first. */
function Readings({ title, series, data, height }: ReadingsProps) {
  const kept = thinned(data.times.length, tableRows).reverse()
  return (
    <div className={classes.tableBox} style={{ height }} role="region" aria-label={`${title}, readings`} tabIndex={0}>
      <table className={classes.table}>
        <caption>
          {kept.length < data.times.length
            ? `${kept.length} of ${figure(data.times.length)} readings, evenly spread`
            : `${figure(kept.length)} readings`}
        </caption>
        <thead>
          <tr>
            <th scope="col">Time</th>
            {series.map((one) => (
              <th key={one.id} scope="col">
                {one.label}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {kept.map((place) => (
            <tr key={data.times[place]}>
              <th scope="row">
                <TimeOf at={data.times[place]!} />
              </th>
              {series.map((one, index) => (
                <td key={one.id}>{reading(data.values[index]?.[place], one.unit)}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

/**
 * Shows the held time of the charts of a key, with a release button. It is always rendered above the charts, so that
 * they do not jump.
 */
export function HeldTime({ syncKey }: { syncKey: string }) {
  const time = useHeldTime(syncKey)
  const zone = useZone()
  return (
    <div role="status" className={classes.held}>
      {time === undefined ? (
        <span className={classes.hint}>Click a chart to pin that time on all charts.</span>
      ) : (
        <>
          <span className={classes.pill}>
            <span className="tabular">{shortTimeText(time, zone)}</span>
            <Button
              variant="subtle"
              size="compact-sm"
              leftSection={<IconPlayerPlay size={14} aria-hidden />}
              onClick={() => resume(syncKey)}
            >
              Resume
            </Button>
          </span>
          <span className={classes.hint}>
            Pinned on all charts. Click a chart or press Esc to follow the pointer again.
          </span>
        </>
      )}
    </div>
  )
}
