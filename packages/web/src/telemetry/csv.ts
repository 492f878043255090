import type { Chart } from '@caretaker/contract/telemetry.ts'
import { csvOf as csvOfRows } from '@caretaker/rules/files/csv.ts'
import { dateTimeText } from '../ui/age.ts'

const head = ['Chart', 'Series', 'Unit', 'Time', 'Value', 'Until', 'Severity', 'Description']

const leftOut = 'Not all earlier events are included'

/**
 * The data of charts as CSV, one line per reading or event, with quoted fields and times in the zone. Gaps have no
 * line.
 */
export function csvOf(charts: readonly Chart[], zone: string): string {
  const rows = charts.flatMap(({ title, dataSeries, eventSeries, eventsSince }) => [
    ...dataSeries.flatMap(({ label, unit, series }) =>
      series.flatMap(({ date, value }) =>
        value === null
          ? []
          : [[title, label, unit === 'count' ? '' : unit, dateTimeText(date, zone), String(value), '', '', '']],
      ),
    ),
    ...eventSeries.map((event) => [
      title,
      event.category,
      '',
      dateTimeText(event.start, zone),
      event.contextLabel,
      event.end === null ? 'still active' : dateTimeText(event.end, zone),
      event.severity,
      event.description,
    ]),
    ...(eventsSince === null ? [] : [[title, '', '', '', '', dateTimeText(eventsSince, zone), '', leftOut]]),
  ])
  return csvOfRows([head, ...rows], zone)
}
