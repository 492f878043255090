import type { Chart, Series } from '@caretaker/contract/telemetry.ts'
import { getDeviceTelemetryCharts } from '@caretaker/contract/telemetry.ts'
import { gatewayCards, lightCards } from '@caretaker/rules/telemetry/cards.ts'
import type { ServerAnswer } from '../network.ts'
import { answer, exampleOf } from '../network.ts'

const example = exampleOf(getDeviceTelemetryCharts)
const titles = new Map([...gatewayCards, ...lightCards].map(({ id, title }) => [id, title]))

/** A line with readings of these values, the newest now and one per hour. */
export function aSeries(values: readonly number[], more: Partial<Series> = {}): Series {
  const series = values.map((value, at) => ({ date: Date.now() - (values.length - 1 - at) * 3_600_000, value }))
  return { ...example.charts[0]!.dataSeries[0]!, series, latest: series.at(-1) ?? null, ...more }
}

/** A chart with one line. */
export function aChart(id: string, more: Partial<Chart> = {}): Chart {
  const title = titles.get(id) ?? id
  return {
    ...example.charts[0]!,
    ...{ id, title, type: 'Linear', subTitle: null, limits: [], bars: null, before: null, hideWhenNoData: false },
    ...{ eventSeries: [], eventsSince: null, difference: false },
    dataSeries: [aSeries([3.6, 3.7], { dataSeriesId: id, label: title, unit: 'V', metric: null })],
    ...more,
  }
}

/** The requested charts of a device, created by `of`. */
export const charts = (of: (id: string) => Chart = aChart): ServerAnswer =>
  answer(getDeviceTelemetryCharts, ({ body: { charts: ids = [] } }) => ({
    ...example,
    from: new Date(Date.now() - 7 * 86_400_000).toISOString(),
    to: new Date().toISOString(),
    views: [],
    charts: ids.map(of),
  }))
