import classes from './sparkline.module.css'

interface SparklineProps {
  /** In the order of time; a null value is a gap. */
  points: readonly { date: number; value: number | null }[]
  from: number
  to: number
}

const width = 120
const height = 28
/** A level that hardly changes is drawn as one, and not as the noise in it. */
const leastSpan = 1

/** The course of a value, without axes: whether it rises or falls is told by the figure beside it and its chart. */
export function Sparkline({ points, from, to }: SparklineProps) {
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
    <svg className={classes.line} viewBox={`0 0 ${width} ${height}`} preserveAspectRatio="none" aria-hidden>
      <path d={path} />
    </svg>
  )
}
