import { useId, useState } from 'react'
import { useElementSize } from '@mantine/hooks'
import type { TestSeries } from '@caretaker/contract/lighting.ts'
import { figure } from '../../../ui/chart/readings.ts'
import { Empty } from '../../../ui/states.tsx'
import { axisOf, pathOf, ticksOf } from './drawing.ts'
import classes from './test-chart.module.css'

interface TestChartProps {
  series: readonly TestSeries[]
  /** The required duration in seconds. */
  asked: number
  /** The seconds for which the lamp was lit, if known. */
  lasted?: number | null | undefined
  /** The failure as a sentence. */
  shortfall?: string | undefined
  /** Whether series with a second axis get one. */
  secondAxis: boolean
  height?: number
}

const [top, bottom, gutter] = [12, 26, 48]
const colour = (index: number) => `var(--series-${index + 1})`

/** The readings of a light during a test; a missed duration is marked. */
export function TestChart({ series, asked, lasted, shortfall, secondAxis, height = 300 }: TestChartProps) {
  const { ref, width } = useElementSize<HTMLDivElement>()
  const words = useId()
  const [at, setAt] = useState<number>()
  if (series.every((one) => one.series.length === 0)) return <Empty text="No data available." />
  const measured = Math.max(...series.flatMap((one) => one.series.map(({ seconds }) => seconds)))
  const last = lasted ?? measured
  const end = Math.max(asked, measured, 1)
  const [right, left] = [width - (secondAxis ? gutter : 16), gutter]
  const x = (seconds: number) => left + (seconds / end) * (right - left)
  const isSecond = (one: TestSeries) => secondAxis && one.secondary
  const first = axisOf(
    series.filter((one) => !isSecond(one)),
    { from: height - bottom, to: top },
  )
  const second = axisOf(series.filter(isSecond), { from: height - bottom, to: top })
  const scaleOf = (one: TestSeries) => (isSecond(one) ? second : first)
  const hasFirst = series.some((one) => !isSecond(one))
  const nearest = (one: TestSeries) =>
    at === undefined
      ? one.series.at(-1)
      : one.series.reduce((a, b) => (Math.abs(b.seconds - at) < Math.abs(a.seconds - at) ? b : a), one.series[0]!)
  return (
    <div className={classes.chart} ref={ref}>
      <ul className={classes.legend} aria-label="Series">
        {series.map((one, index) => (
          <li key={one.dataSeriesId} data-series={one.dataSeriesId} data-axis={isSecond(one) ? 'secondary' : 'primary'}>
            <span className={classes.key} style={{ background: colour(index) }} aria-hidden />
            {one.label}{' '}
            <b>
              {nearest(one) ? figure(nearest(one)!.value) : '–'}
              {'\u00A0'}
              {one.unit}
            </b>
          </li>
        ))}
        <li className={classes.moment}>{at === undefined ? 'at the end' : `at ${timeText(at, end)}`}</li>
      </ul>
      <svg
        width={width}
        height={height}
        role="img"
        aria-label="Chart of the test"
        aria-describedby={words}
        onPointerMove={(event) => {
          const box = event.currentTarget.getBoundingClientRect()
          const seconds = ((event.clientX - box.left - left) / (right - left)) * end
          setAt(Math.min(end, Math.max(0, seconds)))
        }}
        onPointerLeave={() => setAt(undefined)}
      >
        {last < asked && (
          <g data-short>
            <rect
              className={classes.short}
              x={x(last)}
              y={top}
              width={Math.max(0, x(asked) - x(last))}
              height={height - bottom - top}
            />
            <line className={classes.out} x1={x(last)} x2={x(last)} y1={top} y2={height - bottom} />
          </g>
        )}
        {hasFirst &&
          ticksOf(first).map((value) => (
            <g key={value}>
              <line className={classes.grid} x1={left} x2={right} y1={first.y(value)} y2={first.y(value)} />
              <text className={classes.label} x={left - 8} y={first.y(value) + 4} textAnchor="end">
                {figure(value)}
              </text>
            </g>
          ))}
        {secondAxis && (
          <g data-axis="secondary" aria-label="Secondary axis">
            {ticksOf(second).map((value) => (
              <g key={value}>
                {!hasFirst && (
                  <line className={classes.grid} x1={left} x2={right} y1={second.y(value)} y2={second.y(value)} />
                )}
                <text className={classes.label} x={right + 8} y={second.y(value) + 4}>
                  {figure(value)}
                </text>
              </g>
            ))}
          </g>
        )}
        {[0, 0.25, 0.5, 0.75, 1].map((share) => (
          <text key={share} className={classes.label} x={x(share * end)} y={height - 6} textAnchor="middle">
            {timeText(share * end, end)}
          </text>
        ))}
        {width > 0 &&
          series.map((one, index) => (
            <path
              key={one.dataSeriesId}
              className={classes.line}
              d={pathOf(one, x, scaleOf(one).y)}
              stroke={colour(index)}
            />
          ))}
        {at !== undefined && <line className={classes.cursor} x1={x(at)} x2={x(at)} y1={top} y2={height - bottom} />}
      </svg>
      <p id={words} className={classes.words}>
        {series
          .map((one) => `${one.label}: ${one.series.length} readings, the last ${one.series.at(-1)?.value} ${one.unit}`)
          .join('. ')}
        {shortfall && `. ${shortfall}`}
      </p>
    </div>
  )
}

const timeText = (seconds: number, end: number) =>
  end < 600 ? `${Math.round(seconds)} s` : `${Math.round(seconds / 60)} min`
