import { useMemo } from 'react'
import { useQuery } from '@tanstack/react-query'
import type { Chart, Series } from '@caretaker/contract/telemetry.ts'
import { gridColumns } from '@caretaker/rules/telemetry/cards.ts'
import { lastWeek } from '@caretaker/rules/telemetry/ranges.ts'
import type { TimelineEvent } from '../ui/event-timeline.tsx'
import { EventTimeline } from '../ui/event-timeline.tsx'
import { TimeChart } from '../ui/time-chart.tsx'
import { NumericCard } from './numeric-card.tsx'
import type { CardAsked } from './queries.ts'
import { cardQuery } from './queries.ts'
import classes from './telemetry.module.css'

interface CardProps {
  asked: CardAsked
  /** What the view is looked at for is drawn larger. */
  isDefault: boolean
}

/** A card of a view: it loads, fails and is tried again by itself. */
export function Card({ asked, isDefault }: CardProps) {
  const { card, range, source } = asked
  const { data, isError, refetch } = useQuery(cardQuery(asked))
  const chart = usable(data?.chart)
  const status = chart ? 'ready' : isError || data !== undefined ? 'failed' : 'loading'
  if (chart && card.hideWhenNoData && isEmpty(chart)) return undefined
  const shared = {
    title: chart?.title ?? card.title,
    // The rest of today is still to come, and nothing is drawn there.
    ...shown(data ?? range),
    syncKey: source.id,
    empty: source.empty[sayer[card.type]],
    status,
    onRetry: () => void refetch(),
  } as const
  return (
    <div
      className={classes.cell}
      data-card={card.id}
      data-type={card.type}
      style={{ gridColumn: `span ${card.gridWidth}` }}
    >
      {card.type === 'numericCard' && <NumericCard {...shared} chart={chart} />}
      {card.type === 'eventsGraph' && <Events {...shared} chart={chart} />}
      {card.type === 'lineGraph' && (
        <Lines {...shared} chart={chart} height={isDefault ? 260 : 190} wide={card.gridWidth === gridColumns} />
      )}
    </div>
  )
}

const sayer = { numericCard: 'figure', eventsGraph: 'events', lineGraph: 'chart' } as const

/** The chart; undefined where the server has no data for it at all, which concerns that card alone (devices specification, section 8). */
function usable(chart: Chart | undefined): Chart | undefined {
  if (!chart) return undefined
  const series = chart.dataSeries as { series: Series['series'] | null }[] | null
  const hasSeries = series !== null && series.every((one) => one.series !== null)
  return hasSeries && (chart.eventSeries as unknown) !== null ? chart : undefined
}

const isEmpty = ({ dataSeries, eventSeries }: Chart) =>
  eventSeries.length === 0 && dataSeries.every(({ series }) => series.length === 0)

function shown(range: { from: number; to: number } | undefined) {
  const now = Date.now()
  const { from, to } = range ?? lastWeek(now)
  return { from, to: Math.max(from + 1, Math.min(to, now)) }
}

type ChartProps = Omit<Parameters<typeof EventTimeline>[0], 'events'> & { chart: Chart | undefined }

function Events({ chart, ...shared }: ChartProps) {
  const events = useMemo(
    () =>
      (chart?.eventSeries ?? []).map((event): TimelineEvent => ({
        id: event.eventId,
        start: Date.parse(event.start),
        end: event.end === null ? null : Date.parse(event.end),
        severity: event.severity,
        category: event.category,
        description: event.description,
        context: event.contextLabel,
      })),
    [chart],
  )
  return <EventTimeline {...shared} events={events} />
}

function Lines({ chart, ...shared }: ChartProps & { height: number; wide: boolean }) {
  const told = chart?.dataSeries ?? []
  // A device that never told it has no line, unless there is nothing at all.
  const known = told.filter(({ series, latest }) => series.length > 0 || latest !== null)
  return (
    <TimeChart
      {...shared}
      series={(known.length ? known : told).map((one) => ({
        id: one.dataSeriesId,
        label: one.label,
        unit: one.unit,
        points: one.series,
        latest: one.latest,
      }))}
      colour={Number(/\d$/.exec(chart?.color ?? '')?.[0] ?? 1)}
      rangeMin={chart?.rangeMin ?? null}
      rangeMax={chart?.rangeMax ?? null}
      bars={chart?.bars ?? null}
      {...(chart && { limits: chart.limits })}
    />
  )
}
