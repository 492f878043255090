import type { Query, QueryClient } from '@tanstack/react-query'
import { queryOptions } from '@tanstack/react-query'
import type { TelemetryView } from '@caretaker/contract/telemetry.ts'
import type { TimeRange } from '@caretaker/rules/telemetry/ranges.ts'
import type { CardAnswer, TelemetrySource } from './source.ts'

/** The views that there are, without what they show. */
export const viewsQuery = (source: TelemetrySource) =>
  queryOptions({
    queryKey: [...source.key, 'telemetry'],
    queryFn: ({ signal }) => source.fetchViews(signal),
  })

export interface CardAsked {
  source: TelemetrySource
  view: TelemetryView['id']
  card: TelemetryView['cards'][number]
  /** Undefined for the last week, up to the moment of asking. */
  range: TimeRange | undefined
}

const partOf = ({ source, view, card }: Omit<CardAsked, 'range'>) => ['card', source.id, view, card.id]

/** What a card showed of another range, for as long as its answer is awaited: of the same card of the same source, and no other. */
export const formerlyIn =
  (asked: CardAsked) =>
  (former: CardAnswer | null | undefined, query: Pick<Query, 'queryKey'> | undefined): CardAnswer | undefined => {
    const part = partOf(asked)
    const isSame = query?.queryKey.slice(-1 - part.length, -1).every((key, at) => key === part[at])
    return isSame ? (former ?? undefined) : undefined
  }

/** One card with what it shows: null where the server has nothing for it. What is long over is not asked for again. */
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
 * Asks for the cards of a view at the press that shows it, before the page has drawn that they are awaited. A browser keeps few
 * calls on their way at once: what the view is looked at for goes first, then what has the most to read.
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
