import { useMemo } from 'react'
import { useQuery } from '@tanstack/react-query'
import type { Chart } from '@caretaker/contract/telemetry.ts'
import { gridColumns } from '@caretaker/rules/telemetry/cards.ts'
import type { TimeRange } from '@caretaker/rules/telemetry/ranges.ts'
import { lastWeek } from '@caretaker/rules/telemetry/ranges.ts'
import type { Shade } from '../ui/chart/readings.ts'
import type { TimelineEvent } from '../ui/event-timeline.tsx'
import { EventTimeline } from '../ui/event-timeline.tsx'
import type { TimeChartProps } from '../ui/time-chart.tsx'
import { TimeChart } from '../ui/time-chart.tsx'
import { firstColourOf, isEmpty, linesOf, ownColour, shownUntil, usable } from './drawn.ts'
import { NumericCard } from './numeric-card.tsx'
import type { CardAsked } from './queries.ts'
import { cardQuery, formerlyIn } from './queries.ts'
import classes from './telemetry.module.css'

interface CardProps {
  asked: CardAsked
  /** The main card of a view is larger. */
  isDefault: boolean
  /** The look of the card's lines outside a view's grid. */
  look?: { height: number; wide: boolean; shades: readonly Shade[] | undefined }
}

/**
 * A card of a view: it loads, fails and retries independently. For another range it shows the old data, pale and with
 * its own times, until the response arrives: mounting all cards again takes longer than the request.
 */
export function Card({ asked, isDefault, look }: CardProps) {
  const { card, range, source } = asked
  const query = useQuery({ ...cardQuery(asked), placeholderData: formerlyIn(asked) })
  const { data, isError, isPlaceholderData: isFormer, refetch } = query
  const chart = usable(data?.chart)
  const status = chart ? 'ready' : isError || data !== undefined ? 'failed' : 'loading'
  if (chart && card.hideWhenNoData && isEmpty(chart)) return undefined
  const shared = {
    title: chart?.title ?? card.title,
    ...shown(data ?? range),
    syncKey: source.id,
    empty: source.empty[cardNouns[card.type]],
    status,
    onRetry: () => void refetch(),
  } as const
  return (
    <div
      className={classes.cell}
      data-card={card.id}
      data-type={card.type}
      data-from={data?.from}
      data-former={isFormer || undefined}
      aria-busy={isFormer}
      style={look ? undefined : { gridColumn: `span ${card.gridWidth}` }}
    >
      {isFormer && (
        <span className="visually-hidden" role="status">
          Loading {card.title}
        </span>
      )}
      {card.type === 'numericCard' && <NumericCard {...shared} chart={chart} />}
      {card.type === 'eventsGraph' && <Events {...shared} chart={chart} />}
      {card.type === 'lineGraph' && (
        <Lines
          {...shared}
          chart={chart}
          height={isDefault ? 260 : 190}
          wide={card.gridWidth === gridColumns}
          {...look}
        />
      )}
    </div>
  )
}

const cardNouns = { numericCard: 'figure', eventsGraph: 'events', lineGraph: 'chart' } as const

const shown = (range: TimeRange | undefined) => shownUntil(range ?? lastWeek(Date.now()))

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
  const since = chart?.eventsSince ?? undefined
  return <EventTimeline {...shared} events={events} since={since === undefined ? undefined : Date.parse(since)} />
}

function colourOfLine(color: string | undefined): { colour?: number } {
  const colour = ownColour(color)
  return colour === undefined ? {} : { colour }
}

function Lines({ chart, ...shared }: ChartProps & Pick<TimeChartProps, 'height' | 'wide' | 'shades'>) {
  return (
    <TimeChart
      {...shared}
      series={(chart ? linesOf(chart) : []).map((one) => ({
        id: one.dataSeriesId,
        label: one.label,
        unit: one.unit,
        points: one.series,
        latest: one.latest,
        ...colourOfLine(one.color),
      }))}
      colour={chart ? firstColourOf(chart) : 1}
      rangeMin={chart?.rangeMin ?? null}
      rangeMax={chart?.rangeMax ?? null}
      bars={chart?.bars ?? null}
      difference={chart?.difference ?? false}
      breaks={chart?.units === '°C'}
      countsDays
      {...(chart && { limits: chart.limits })}
    />
  )
}
