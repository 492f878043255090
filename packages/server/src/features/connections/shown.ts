import type { SensorMessage } from '@caretaker/contract/connections.ts'
import { mapReadings } from '@caretaker/rules/connectors/mapping.ts'
import { suggestMapping } from '@caretaker/rules/connectors/suggestions.ts'
import type { DecodedValue, MappingRow, Radio } from '@caretaker/rules/connectors/types.ts'
import type { Actor } from '@caretaker/rules/identity/actor.ts'
import { can } from '@caretaker/rules/rights/can.ts'
import { isMetricKey, metrics } from '@caretaker/rules/telemetry/metrics.ts'
import { labelOf } from '../../connectors/store-decoded.ts'
import type { MessageRow } from './store.ts'

type Shown = SensorMessage['readings'][number]

/** Decoded values as the user reads them: a metric with label and unit, any other value by its path. */
export function shownValues(
  values: Readonly<Record<string, DecodedValue>>,
  mapping: readonly MappingRow[] | null,
  units: Readonly<Record<string, string>> = {},
): Omit<Shown, 'at'>[] {
  const samples = [{ values: { ...values } }]
  const rows = new Map((mapping ?? suggestMapping(samples, units)).map((row) => [row.path, row]))
  const now = Date.now()
  return Object.entries(values).map(([path, value]) => {
    const row = rows.get(path)
    if (row?.to !== 'metric' && row?.to !== 'extra') return { path, metric: null, label: path, unit: '', value }
    const mapped = mapReadings(
      { decoder: '', samples: [{ values: { [path]: value } }], warnings: [], errors: [] },
      [row],
      { now, message: { receivedAt: now } },
    )
    const name = row.to === 'metric' ? row.metric : row.name
    const reading = mapped.readings[0]?.values[name]
    return {
      path,
      metric: name,
      label: labelOf(name),
      unit: reading === undefined ? '' : unitOf(name),
      value: reading ?? value,
    }
  })
}

export const unitOf = (metric: string): string => (isMetricKey(metric) ? metrics[metric].unit : '')

export const radioOf = ({ rssi, snr, gateway, linkQuality }: Radio) => ({
  ...{ rssi: rssi ?? null, snr: snr ?? null, gateway: gateway ?? null, linkQuality: linkQuality ?? null },
})

export function messageOf(row: MessageRow, actor: Actor): SensorMessage {
  const { message, decoded, outcome } = row
  return {
    ...{ id: row.id, receivedAt: row.received_at.toISOString() },
    measuredAt: message.measuredAt === undefined ? null : instantOf(message.measuredAt),
    ...{ connectionId: row.connection_id, connectionName: row.connection_name, deviceKey: row.device_key },
    ...{ deviceId: row.device_id, deviceName: row.device_name, kind: row.kind, result: row.result, reason: row.reason },
    counter: message.sequence === undefined ? null : Math.trunc(message.sequence),
    fPort: message.fPort === undefined ? null : Math.trunc(message.fPort),
    bytes: row.bytes && row.bytes.toString('hex').toUpperCase(),
    object: message.object ?? null,
    decoded: decoded?.samples.length ? Object.assign({}, ...decoded.samples.map(({ values }) => values)) : null,
    decoder: decoded?.samples.length ? decoded.decoder : null,
    segments: decoded?.segments ?? null,
    readings: (outcome.readings ?? []).map(({ path, metric, value, at }) => ({
      ...{ path, metric, label: labelOf(metric), unit: unitOf(metric), value, at: instantOf(at) },
    })),
    rejected: (outcome.rejected ?? []).map(({ path, metric, value, text }) => ({
      ...{ path, metric, label: labelOf(metric ?? path), value, reason: text },
    })),
    unused: outcome.unused ?? [],
    warnings: decoded?.warnings ?? [],
    radio: radioOf(message.radio),
    payload: can(actor, 'see connections') ? row.payload : '',
  }
}

/** An ISO time; the epoch for a number that is not a valid date. */
function instantOf(ms: number): string {
  const at = new Date(ms)
  return (Number.isNaN(+at) || Math.abs(+at) > 253_402_300_799_999 ? new Date(0) : at).toISOString()
}
