import { sql } from 'kysely'
import type { Chart, Series } from '@caretaker/contract/telemetry.ts'
import type { Card } from '@caretaker/rules/telemetry/cards.ts'
import { chartTypeOf, unitOf } from '@caretaker/rules/telemetry/cards.ts'
import type { MetricKey } from '@caretaker/rules/telemetry/metrics.ts'
import { gapsText, setPointText, worstHourText } from '@caretaker/rules/telemetry/measured-by.ts'
import { axisOf, measures } from '@caretaker/rules/telemetry/metrics.ts'
import type { TimeRange } from '@caretaker/rules/telemetry/ranges.ts'
import { roomColours } from '@caretaker/rules/telemetry/rooms.ts'
import type { CardSeries, TelemetryView } from '@caretaker/rules/telemetry/views.ts'
import { seriesOf } from '@caretaker/rules/telemetry/views.ts'
import { zoneOf } from '../../lists/read.ts'
import type { TenantTx } from '../../postgres/tenant.ts'
import { hasReadings, readDays, readDaysRead, readFigure, readPerformance, readWorstHour } from './figures.ts'
import type { HomeDevice } from './home.ts'
import { readLanes } from './lanes.ts'
import { countFaults, latestOf, readEvents, readSeries } from './store.ts'

/** The views on offer; a card that is hidden without data is left out if nothing was ever reported for it. */
export async function shapesOf(tx: TenantTx, views: readonly TelemetryView[], home: readonly HomeDevice[]) {
  const known = await knownSeries(tx, home)
  return views.map(({ cards, ...view }) => ({
    ...view,
    cards: cards.flatMap((card) => {
      const series = seriesOf(card, home)
      const hideWhenNoData = card.hideWhenNoData ?? false
      if (hideWhenNoData && !series.some((one) => known.has(nameOf(one)))) return []
      const { id, type, title, gridWidth } = card
      const devices = card.of === 'device' ? home.slice(0, 1) : home
      const shown = card.metrics.length ? series.map((one) => one.deviceId) : devices.map((device) => device.id)
      return [{ id, type, title, gridWidth, hideWhenNoData, deviceIds: [...new Set(shown)] }]
    }),
  }))
}

const nameOf = ({ deviceId, metric }: Pick<CardSeries, 'deviceId' | 'metric'>) => `${deviceId}/${metric}`

async function knownSeries(tx: TenantTx, home: readonly HomeDevice[]): Promise<Set<string>> {
  const rows = await tx
    .selectFrom('series')
    .where('tenant_id', '=', tx.tenant)
    .where(sql<boolean>`device_id = any(${home.map(({ id }) => id)}::uuid[])`)
    .select(['device_id', 'metric'])
    .execute()
  return new Set(rows.map((row) => nameOf({ deviceId: row.device_id, metric: row.metric as MetricKey })))
}

/**
 * Cards of one view with their data over a range. Their series are read together, in as many queries as for one card.
 */
export async function chartsOf(
  tx: TenantTx,
  cards: readonly Card[],
  home: readonly HomeDevice[],
  range: TimeRange,
): Promise<Chart[]> {
  const shown = cards.map((card) => ({ card, series: seriesOf(card, home) }))
  const lined = shown.filter(({ card }) => isOfLines(card)).flatMap(({ series }) => series)
  const of = { home, range, lines: await readLines(tx, home, lined, range) }
  const charts: Chart[] = []
  for (const one of shown) charts.push(await chartOf(tx, one, of))
  return charts
}

/** Whether a card shows readings rather than computed figures. */
const isOfLines = ({ type, figure, perDay }: Card) => type !== 'eventsGraph' && !figure && !perDay

/** By `nameOf`. */
type Lines = ReadonlyMap<string, Series>

interface Shown {
  card: Card
  series: readonly CardSeries[]
}

interface Of {
  home: readonly HomeDevice[]
  range: TimeRange
  lines: Lines
}

async function chartOf(tx: TenantTx, { card, series }: Shown, of: Of): Promise<Chart> {
  const { min, max } = axisOf(card.metrics)
  const units = unitOf(card)
  return {
    id: card.id,
    type: chartTypeOf[card.type],
    title: card.title,
    subTitle: card.subTitle ?? null,
    chartLabel: units && units !== 'count' ? `${card.title} (${units})` : card.title,
    gridWidth: card.gridWidth,
    units,
    color: card.type === 'lineGraph' ? `series-${card.colour ?? 1}` : null,
    rangeMin: card.perDay ? 0 : min,
    rangeMax: card.perDay ? null : max,
    limits: [...(card.limits ?? [])],
    hideWhenNoData: card.hideWhenNoData ?? false,
    difference: (card.difference ?? false) && series.length === 2,
    bars: null,
    before: null,
    dataSeries: [],
    eventSeries: [],
    eventsSince: null,
    ...(await dataOf(tx, { card, series }, of)),
  }
}

type Data = Partial<Pick<Chart, 'subTitle' | 'dataSeries' | 'eventSeries' | 'eventsSince' | 'bars' | 'before' | 'days'>>

async function dataOf(tx: TenantTx, { card, series }: Shown, { home, range, lines }: Of): Promise<Data> {
  if (card.type === 'eventsGraph') {
    const devices = card.of === 'device' ? home.slice(0, 1) : home
    const [events, lanes] = [await readEvents(tx, devices, range), await readLanes(tx, devices, range)]
    return {
      eventSeries: [...events.events, ...lanes.events].map((event) => ({ ...event, cardTitle: card.title })),
      eventsSince: latestOf(events.since, lanes.since)?.toISOString() ?? null,
    }
  }
  if (card.figure) return figureOf(tx, card, card.figure, home, series, range)
  if (card.perDay) {
    const zone = await zoneOf(tx)
    const isSplit = card.perDay === 'energy' && series.length > 1 && home.some(namesCircuits)
    const parts: Series[] = []
    let bars = 0
    for (const part of isSplit ? series.map((one) => [one]) : [series]) {
      const { points, length } = await readDays(tx, part, card.perDay, range, zone)
      const { label } = isSplit ? part[0]! : { label: card.title }
      // A clamp without any reading is not connected.
      if (points.length || !isSplit) parts.push({ ...together(card, part, points), label })
      bars = length
    }
    return { bars, dataSeries: parts }
  }
  return { dataSeries: linesOf(series, lines, home) }
}

/** Whether the clamps are named, so that it is worth showing them separately. */
const namesCircuits = ({ clamps }: HomeDevice) => Object.values(clamps ?? {}).some(Boolean)

async function figureOf(
  tx: TenantTx,
  card: Card,
  kind: NonNullable<Card['figure']>,
  home: readonly HomeDevice[],
  series: readonly CardSeries[],
  { from, to }: TimeRange,
): Promise<Data> {
  const ids = home.map(({ id }) => id)
  const earlier = { from: from - (to - from), to: from }
  if (kind === 'performance') {
    const value = await readPerformance(tx, series, { from, to })
    const before = await readPerformance(tx, series, { from: from - (to + 1 - from), to: from - 1 })
    return {
      subTitle: value === 'gaps' ? gapsText : null,
      before: before === 'gaps' ? null : before,
      dataSeries: [together(card, series, typeof value === 'number' ? [{ date: to, value }] : [])],
    }
  }
  const read = (range: TimeRange) =>
    kind === 'faults' ? faultsIn(tx, ids, range) : readFigure(tx, series, kind, range)
  const value = await read({ from, to })
  const before = kind === 'newest' ? null : await read(earlier)
  const measuredBy = value === null ? undefined : await measuredByOf(tx, card, home, series, { from, to })
  return {
    // The basis of the figure, or the reason why there is none.
    ...((measuredBy || value === null) && { subTitle: measuredBy ?? null }),
    ...(kind === 'mean' && value !== null && { days: await readDaysRead(tx, series, { from, to }, await zoneOf(tx)) }),
    before,
    dataSeries: [together(card, series, value === null ? [] : [{ date: to, value }])],
  }
}

/** The number of faults; null for a time in which nothing was reported, because then it is unknown. */
async function faultsIn(tx: TenantTx, deviceIds: readonly string[], range: TimeRange): Promise<number | null> {
  const count = await countFaults(tx, deviceIds, range)
  return count > 0 || (await hasReadings(tx, deviceIds, range)) ? count : null
}

/** The basis of a figure in words; undefined if unknown. */
async function measuredByOf(
  tx: TenantTx,
  { measuredBy }: Card,
  [device]: readonly HomeDevice[],
  series: readonly CardSeries[],
  range: TimeRange,
): Promise<string | undefined> {
  if (measuredBy === 'set point') return device?.chMax == null ? undefined : setPointText(device.chMax)
  const worst = measuredBy && (await readWorstHour(tx, series, range))
  return worst ? worstHourText(worst.value, worst.date, range, await zoneOf(tx)) : undefined
}

/** One series that represents all of a card's. */
function together(card: Card, series: readonly CardSeries[], points: { date: number; value: number }[]): Series {
  const metric = card.metrics[0] ?? null
  const [one] = series
  return {
    dataSeriesId: series.length === 1 && one ? nameOf(one) : card.id,
    metric,
    label: card.title,
    unit: unitOf(card),
    series: points,
    latest: points.at(-1) ?? null,
  }
}

async function readLines(
  tx: TenantTx,
  home: readonly HomeDevice[],
  series: readonly CardSeries[],
  { from, to }: TimeRange,
): Promise<Lines> {
  if (!series.length) return new Map()
  const sources = byDevice(series).map(([deviceId, of]) => ({
    ...home.find(({ id }) => id === deviceId)!,
    metrics: of.map((one) => one.metric),
  }))
  const found = (await readSeries(tx, sources, { from: new Date(from), to: new Date(to) })).flat()
  return new Map(found.map((one) => [one.dataSeriesId, one]))
}

const byDevice = (series: readonly CardSeries[]) => [...Map.groupBy(series, ({ deviceId }) => deviceId)]

/** The lines of a card, device by device; rooms in their colours. */
function linesOf(series: readonly CardSeries[], lines: Lines, home: readonly HomeDevice[]): Series[] {
  const places = new Map(home.filter(isInRoom).map((device) => [device.id, device.place || device.name]))
  const colours = roomColours(places.values())
  return byDevice(series).flatMap(([deviceId, of]) => {
    const colour = colours.get(places.get(deviceId) ?? '')
    return of.map((one) => ({
      ...lines.get(nameOf(one))!,
      label: one.label,
      ...(colour !== undefined && { color: `series-${colour}` }),
    }))
  })
}

/** Whether a device measures the air of its room. */
const isInRoom = ({ product }: HomeDevice) => measures(product, 'temperature')
