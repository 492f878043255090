import type { ComponentType } from 'react'
import type { Chart, TelemetryView } from '@caretaker/contract/telemetry.ts'
import type { RangeShortcuts, TimeRange } from '@caretaker/rules/telemetry/ranges.ts'

/** A card with what it shows over a range, in milliseconds since the epoch. */
export interface CardAnswer {
  from: number
  to: number
  chart: Chart
}

export interface CardWanted {
  view: TelemetryView['id']
  card: Pick<TelemetryView['cards'][number], 'id' | 'type' | 'deviceIds'>
  /** Undefined for the last week, up to the moment of asking. */
  range: TimeRange | undefined
  /** It is shown already, and is asked for because something has changed. */
  again: boolean
}

/** What stands below a card of a view over the same range: the cards of the key share their selected time. */
export type Below = ComponentType<{ range: TimeRange | undefined; syncKey: string }>

/** Whose telemetry it is: a device's with its home, or a home's. */
export interface TelemetrySource {
  id: string
  /** What files are named after. */
  name: string
  /** What the keys of its queries begin with; of what is long over another, so that it is not asked for again. */
  key: readonly unknown[]
  lastingKey: readonly unknown[]
  shortcuts: RangeShortcuts
  /** The zone whose days ranges consist of; the client's unless given. */
  zone?: string
  /** What charts and figures without data say. */
  empty: { chart: string; figure: string; events: string }
  /** By the id of the card. */
  below?: Partial<Record<string, Below>>
  fetchViews(signal: AbortSignal): Promise<TelemetryView[] | null>
  /** Null where the server has nothing for the card. */
  fetchCard(wanted: CardWanted, signal: AbortSignal): Promise<CardAnswer | null>
}
