import { useId } from 'react'
import type { Chart } from '@caretaker/contract/telemetry.ts'
import { figure } from '../ui/chart/readings.ts'
import { Bar, Failed } from '../ui/states.tsx'
import { comparison, meanWords } from './comparison.ts'
import classes from './telemetry.module.css'

interface NumericCardProps {
  title: string
  chart: Chart | undefined
  from: number
  to: number
  status: 'loading' | 'ready' | 'failed'
  /** The text without data. */
  empty: string
  onRetry: () => void
}

/** One figure of the range, compared with the previous period. */
export function NumericCard({ title, chart, from, to, status, empty, onRetry }: NumericCardProps) {
  const titleId = useId()
  const value = chart?.dataSeries[0]?.series.at(-1)?.value ?? null
  return (
    <section className={classes.figure} aria-labelledby={titleId}>
      <h2 id={titleId}>{title}</h2>
      {status === 'failed' && <Failed text="Something went wrong, please retry." onRetry={onRetry} />}
      {status === 'loading' && (
        <div role="status">
          <span className="visually-hidden">Loading {title}</span>
          <Bar width="50%" height="2.6rem" />
          <Bar width="80%" />
        </div>
      )}
      {chart &&
        (value === null ? (
          <p className={classes.note}>{chart.subTitle ?? empty}</p>
        ) : (
          <>
            <p className={classes.value}>
              {figure(value)} {chart.units !== 'count' && <small>{chart.units}</small>}
            </p>
            <p className={classes.note}>
              {[meanWords(chart.days), chart.subTitle ?? comparison(value, chart.before, chart.units, to - from)]
                .filter(Boolean)
                .join('. ')}
            </p>
          </>
        ))}
    </section>
  )
}
