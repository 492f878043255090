import { Fragment, useEffect, useMemo, useState } from 'react'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import type { TelemetryView } from '@caretaker/contract/telemetry.ts'
import { dayAt } from '@caretaker/rules/calendar/days.ts'
import { useWatchedDevices } from '../api/changes.ts'
import { loadPlot } from '../ui/time-chart.tsx'
import { Empty, Failed, Loading } from '../ui/states.tsx'
import { useZone } from '../ui/zone.tsx'
import { Card } from './card.tsx'
import { HeldInRange } from './held-in-range.tsx'
import type { TelemetrySearch } from './place.ts'
import { instantsOf, rangeIn, validTelemetrySearch } from './place.ts'
import { askForCards, viewsQuery } from './queries.ts'
import type { TelemetrySource } from './source.ts'
import { Toolbar } from './toolbar.tsx'
import classes from './telemetry.module.css'

/** Readings and events: a view of cards over a range. */
export function Telemetry({ source }: { source: TelemetrySource }) {
  const own = useZone()
  const zone = source.zone ?? own
  const views = useQuery(viewsQuery(source))
  const search = validTelemetrySearch(useSearch({ strict: false }))
  const navigate = useNavigate()
  const [today] = useState(() => dayAt(Date.now(), zone))
  const range = rangeIn(search, today, source.shortcuts)
  const client = useQueryClient()
  const show = (next: TelemetrySearch) => {
    const search = validTelemetrySearch({ ...next })
    const view = viewIn(views.data, search)
    if (view) {
      const range = instantsOf(rangeIn(search, today, source.shortcuts), zone)
      askForCards(client, view, { source, view: view.id, range })
    }
    void navigate({ to: '.', search, resetScroll: false })
  }
  useEffect(loadPlot, [])

  const ids = useMemo(
    () => [...new Set(views.data?.flatMap(({ cards }) => cards.flatMap((card) => card.deviceIds)))],
    [views.data],
  )
  useWatchedDevices(ids)

  const list = views.data as TelemetryView[] | null | undefined
  if (views.isError || list === null)
    return <Failed text="Failed to retrieve property data" onRetry={() => void views.refetch()} />
  if (!list) return <Loading label="Loading the telemetry" />
  const view = viewIn(list, search)
  if (!view) return <Empty text={source.empty.chart} />
  const instants = instantsOf(range, zone)
  const asked = { source, view: view.id, range: instants }
  return (
    <div className={classes.tab}>
      <Toolbar
        views={list}
        view={view}
        range={range}
        asked={asked}
        zone={zone}
        onView={(id) => show({ ...search, view: id })}
        onRange={({ range: shortcut, from, to }) =>
          show({
            ...(search.view && { view: search.view }),
            ...(shortcut ? { range: shortcut } : { from, to }),
          } as TelemetrySearch)
        }
      />
      <Cards key={`${source.id} ${view.id}`} view={view} asked={asked} />
    </div>
  )
}

const viewIn = (views: TelemetryView[] | null | undefined, search: TelemetrySearch) =>
  views?.find(({ id }) => id === search.view) ?? views?.[0]

interface CardsProps {
  view: TelemetryView
  asked: Omit<Parameters<typeof Card>[0]['asked'], 'card'>
}

/** Figures first, then the time selected on all charts below. */
function Cards({ view, asked }: CardsProps) {
  const { source, range } = asked
  const of = (figures: boolean) =>
    view.cards
      .filter(({ type }) => (type === 'numericCard') === figures)
      .map((card) => {
        const Below = source.below?.[card.id]
        return (
          <Fragment key={card.id}>
            <Card asked={{ ...asked, card }} isDefault={card.id === view.defaultChartId} />
            {Below && <Below range={range} syncKey={source.id} />}
          </Fragment>
        )
      })
  return (
    <>
      <div className={classes.grid}>{of(true)}</div>
      <HeldInRange key={`${range?.from} ${range?.to}`} syncKey={source.id} />
      <div className={classes.grid}>{of(false)}</div>
    </>
  )
}
