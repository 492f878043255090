import type { ComponentType } from 'react'
import type { Chart, TelemetryView } from '@caretaker/contract/telemetry.ts'
import type { RangeShortcuts, TimeRange } from '@caretaker/rules/telemetry/ranges.ts'

/** A card with its data over a range, in milliseconds since the epoch. */
export interface CardAnswer {
  from: number
  to: number
  chart: Chart
}

export interface CardWanted {
  view: TelemetryView['id']
  card: Pick<TelemetryView['cards'][number], 'id' | 'type' | 'deviceIds'>
  /** Undefined for the last week, up to the time of the request. */
  range: TimeRange | undefined
  /** The card is already shown and is refetched because of a change. */
  again: boolean
}

/** Content below a card of a view over the same range; the cards of the key share their selected time. */
export type Below = ComponentType<{ range: TimeRange | undefined; syncKey: string }>

/** The subject of the telemetry: a device with its property, or a property. */
export interface TelemetrySource {
  id: string
  /** The base name of files. */
  name: string
  /** The prefix of its query keys; a different one for past ranges, which are not refetched. */
  key: readonly unknown[]
  lastingKey: readonly unknown[]
  shortcuts: RangeShortcuts
  /** The zone of the days in ranges; the client's by default. */
  zone?: string
  /** The texts of charts and figures without data. */
  empty: { chart: string; figure: string; events: string }
  /** By card id. */
  below?: Partial<Record<string, Below>>
  fetchViews(signal: AbortSignal): Promise<TelemetryView[] | null>
  /** Null if the server has nothing for the card. */
  fetchCard(wanted: CardWanted, signal: AbortSignal): Promise<CardAnswer | null>
}
