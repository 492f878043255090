import type { MappingRow, SensorMapping } from '@caretaker/contract/connections.ts'
import { mapReadings } from '@caretaker/rules/connectors/mapping.ts'
import type { DecodedValue } from '@caretaker/rules/connectors/types.ts'
import { sensorEvents, sensorStates } from '@caretaker/rules/connectors/types.ts'
import { unitsOf } from '@caretaker/rules/connectors/units.ts'
import type { MetricKey } from '@caretaker/rules/telemetry/metrics.ts'
import { metricKeys, metrics } from '@caretaker/rules/telemetry/metrics.ts'
import { numberText, valueText } from '../words.ts'

/** The product of third-party devices, which determines how their readings are shown. */
const product = 'ADEY'
const offered = metricKeys.filter((key) => (metrics[key].products as readonly string[]).includes(product))

/** The possible targets of a path, as groups of options. */
export const targetOptions = [
  { group: 'Not stored', items: [{ value: 'unused', label: 'Not used' }] },
  { group: 'Metrics', items: offered.map((key) => ({ value: `metric ${key}`, label: metrics[key].label })) },
  { group: 'Other values', items: [{ value: 'extra', label: 'Extra metric' }] },
  {
    group: 'States',
    items: Object.entries(sensorStates).map(([state, { label }]) => ({ value: `state ${state}`, label })),
  },
  {
    group: 'Events',
    items: Object.entries(sensorEvents).map(([event, { label }]) => ({ value: `event ${event}`, label })),
  },
]

export function optionOf(row: MappingRow): string {
  if (row.to === 'metric') return `metric ${row.metric}`
  if (row.to === 'state') return `state ${row.state}`
  return row.to === 'event' ? `event ${row.event}` : row.to
}

/** The longest name of an extra metric. */
export const longestName = 60

export const extraRow = (path: string): MappingRow => ({
  ...{ path, to: 'extra', name: path.slice(-longestName), factor: 1 },
})

/** The row of a path after another option was chosen. */
export function withOption(row: MappingRow, option: string, suggestion: MappingRow | undefined): MappingRow {
  const { path } = row
  const [to, name] = option.split(' ') as [string, string | undefined]
  if (suggestion && optionOf(suggestion) === option) return suggestion
  if (to === 'metric') return { path, to, metric: name as MetricKey, unit: unitsOf(name as MetricKey)[0]!, factor: 1 }
  if (to === 'extra') return extraRow(path)
  if (to === 'state') return { path, to, state: name as Extract<MappingRow, { to: 'state' }>['state'] }
  if (to === 'event') return { path, to, event: name as Extract<MappingRow, { to: 'event' }>['event'] }
  return { path, to: 'unused' }
}

/** A row for every known path: the saved rows, and unused ones for paths that have been seen since. */
export function allRows({ rows, suggestions, lastMessage, version }: SensorMapping): MappingRow[] {
  const known = new Set(rows.map(({ path }) => path))
  const seen = version === 0 ? suggestions : suggestions.map(({ path }): MappingRow => ({ path, to: 'unused' }))
  const others = Object.keys(lastMessage?.values ?? {}).map((path): MappingRow => ({ path, to: 'unused' }))
  const all = [...rows]
  for (const row of [...seen, ...others])
    if (!known.has(row.path)) {
      known.add(row.path)
      all.push(row)
    }
  return all
}

/** The result of a mapping for the last value: a reading, or the reason why it is not stored. */
export function resultOf(row: MappingRow, value: DecodedValue | undefined): { text: string; isRejected?: true } {
  if (row.to === 'unused') return { text: 'Not stored' }
  if (value === undefined) return { text: 'No value yet' }
  if (row.to === 'state' || row.to === 'event') return { text: valueText({ value }) }
  const now = Date.now()
  const decoded = { decoder: '', samples: [{ values: { [row.path]: value } }], warnings: [], errors: [] }
  const { readings, rejected } = mapReadings(decoded, [row], { now, message: { receivedAt: now } })
  if (rejected[0]) return { text: rejected[0].text, isRejected: true }
  const name = row.to === 'metric' ? row.metric : row.name
  const reading = readings[0]?.values[name]
  if (reading === undefined) return { text: 'Not stored' }
  const unit = row.to === 'metric' ? metrics[row.metric].unit : ''
  return { text: valueText({ value: reading, unit }) }
}

/** 'Air pressure, kPa, factor 0.1'. */
export function targetText(row: MappingRow | undefined): string {
  if (!row || row.to === 'unused') return 'Not used'
  if (row.to === 'state') return sensorStates[row.state].label
  if (row.to === 'event') return sensorEvents[row.event].label
  const factor = row.factor === 1 ? '' : `, factor ${numberText(row.factor)}`
  if (row.to === 'extra') return `Extra metric '${row.name}'${factor}`
  return `${metrics[row.metric].label}${row.unit ? `, ${row.unit}` : ''}${factor}`
}

const isSame = (a: MappingRow | undefined, b: MappingRow | undefined) => targetText(a) === targetText(b)

/** The rows that differ, with what they were mapped to before. */
export function changesOf(before: readonly MappingRow[], after: readonly MappingRow[]) {
  const former = new Map(before.map((row) => [row.path, row]))
  return after
    .filter((row) => !isSame(row, former.get(row.path)))
    .map((row) => ({ path: row.path, from: targetText(former.get(row.path)), to: targetText(row) }))
}
