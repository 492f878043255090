import { smoothed } from '@caretaker/rules/telemetry/thin.ts'
import classes from './sparkline.module.css'

interface SparklineProps {
  /** Ordered by time; a null value is a gap. */
  points: readonly { date: number; value: number | null }[]
  from: number
  to: number
  /** The number of a series colour, starting at 1; the text colour by default. */
  colour?: number | undefined
  /** The smallest value range: smaller changes look flat instead of noisy. */
  leastSpan?: number
}

const width = 120
const height = 28

/** A value over time without axes; the figure beside it and the chart give details. */
export function Sparkline({ points: all, from, to, colour, leastSpan = 1 }: SparklineProps) {
  const points = smoothed(all, { from, to })
  const values = points.flatMap(({ value }) => value ?? [])
  if (values.length < 2) return <span className={classes.empty} />
  const [low, high] = [Math.min(...values), Math.max(...values)]
  const span = Math.max(leastSpan, high - low)
  const middle = (low + high) / 2
  const x = (date: number) => ((date - from) / (to - from)) * width
  const y = (value: number) => height / 2 - ((value - middle) / span) * (height - 4)
  const path = points
    .map(({ date, value }, index) => {
      if (value === null) return ''
      const pen = typeof points[index - 1]?.value === 'number' ? 'L' : 'M'
      return `${pen}${x(date).toFixed(1)} ${y(value).toFixed(1)}`
    })
    .join('')
  return (
    <svg
      className={classes.line}
      viewBox={`0 0 ${width} ${height}`}
      preserveAspectRatio="none"
      aria-hidden
      style={colour === undefined ? undefined : ({ '--line-colour': `var(--series-${colour})` } as object)}
    >
      <path d={path} />
    </svg>
  )
}
