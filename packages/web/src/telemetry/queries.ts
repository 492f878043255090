import type { Query, QueryClient } from '@tanstack/react-query'
import { queryOptions } from '@tanstack/react-query'
import type { TelemetryView } from '@caretaker/contract/telemetry.ts'
import type { TimeRange } from '@caretaker/rules/telemetry/ranges.ts'
import type { CardAnswer, TelemetrySource } from './source.ts'

/** The available views, without their data. */
export const viewsQuery = (source: TelemetrySource) =>
  queryOptions({
    queryKey: [...source.key, 'telemetry'],
    queryFn: ({ signal }) => source.fetchViews(signal),
  })

export interface CardAsked {
  source: TelemetrySource
  view: TelemetryView['id']
  card: TelemetryView['cards'][number]
  /** Undefined for the last week, up to the time of the request. */
  range: TimeRange | undefined
}

const partOf = ({ source, view, card }: Omit<CardAsked, 'range'>) => ['card', source.id, view, card.id]

/** The previous data of a card while its request is pending: only of the same card and source. */
export const formerlyIn =
  (asked: CardAsked) =>
  (former: CardAnswer | null | undefined, query: Pick<Query, 'queryKey'> | undefined): CardAnswer | undefined => {
    const part = partOf(asked)
    const isSame = query?.queryKey.slice(-1 - part.length, -1).every((key, at) => key === part[at])
    return isSame ? (former ?? undefined) : undefined
  }

/** One card with its data: null if the server has none. Past ranges are not refetched. */
export const cardQuery = ({ source, view, card, range }: CardAsked) => {
  const isOver = range !== undefined && range.to < Date.now()
  return queryOptions({
    queryKey: [...(isOver ? source.lastingKey : source.key), ...partOf({ source, view, card }), range],
    meta: isOver
      ? {}
      : {
          shows: {
            subjects: card.type === 'lineGraph' ? ['device readings'] : ['device readings', 'device events'],
            deviceIds: card.deviceIds,
          },
        },
    queryFn: ({ signal, client, queryKey }) => {
      const again = client.getQueryData(queryKey) !== undefined
      return source.fetchCard({ view, card, range, again }, signal)
    },
  })
}

/**
 * Requests the cards of a view on click, before the page has rendered. A browser allows few parallel calls, so the main
 * card goes first, then the largest ones.
 */
export function askForCards(
  client: QueryClient,
  { cards, defaultChartId }: TelemetryView,
  asked: Omit<CardAsked, 'card'>,
): void {
  const weight = ({ id, type, deviceIds }: CardAsked['card']) =>
    id === defaultChartId ? Infinity : type === 'lineGraph' ? deviceIds.length : 0
  for (const card of cards.toSorted((a, b) => weight(b) - weight(a)))
    void client.prefetchQuery(cardQuery({ ...asked, card }))
}
