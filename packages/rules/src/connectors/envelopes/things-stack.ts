import type { Envelope, EnvelopeResult, SensorMessage } from '../types.ts'
import { bytesOf, deviceKeyOf, instantOf, isRecord, numberOf, optional, textOf } from '../values.ts'
import { strongest } from './radio.ts'
import { missing, notFrom, wrong } from './refusals.ts'

/** Reads uplinks, joins and downlink results of The Things Stack v3 as JSON. Other messages contain nothing to store. */
export function readThingsStack({ payload, now }: Envelope): EnvelopeResult {
  if (!isRecord(payload) || !isRecord(payload['end_device_ids'])) return notFrom('the-things-stack', 'end_device_ids')
  const ids = payload['end_device_ids']
  const deviceKey = deviceKeyOf(ids['dev_eui']) ?? deviceKeyOf(ids['device_id'])
  if (!deviceKey) return missing('end_device_ids.dev_eui', 'it names the sensor')
  const base: SensorMessage = {
    kind: 'uplink',
    deviceKey,
    ...optional('name', textOf(ids['device_id'])),
    receivedAt: instantOf(payload['received_at']) ?? now,
    ...optional('session', textOf(ids['dev_addr'])),
    radio: {},
  }
  const uplink = payload['uplink_message'] ?? payload['uplink_normalized']
  if (isRecord(uplink)) return readUplink(uplink, base)
  const join = payload['join_accept']
  if (isRecord(join))
    return {
      messages: [
        { ...base, kind: 'join', receivedAt: instantOf(join['received_at']) ?? base.receivedAt, ...idOf(payload) },
      ],
    }
  for (const [field, isAcknowledged] of [
    ['downlink_ack', true],
    ['downlink_nack', false],
    ['downlink_failed', false],
  ] as const) {
    const downlink = payload[field]
    if (!isRecord(downlink)) continue
    const sent = isRecord(downlink['downlink']) ? downlink['downlink'] : downlink
    const error = isRecord(downlink['error']) ? textOf(downlink['error']['message_format']) : undefined
    const [downlinkId] = Array.isArray(sent['correlation_ids']) ? sent['correlation_ids'].filter(isOwnId) : []
    return {
      messages: [
        {
          ...base,
          kind: 'ack',
          isAcknowledged,
          ...optional('downlinkId', textOf(downlinkId)),
          ...optional('text', error),
        },
      ],
    }
  }
  return { messages: [] }
}

/** Ids that a client gave its downlink; The Things Stack's own ids begin with a component's name (as:, ns:, gs:, rpc:). */
const isOwnId = (id: unknown) => typeof id === 'string' && !/^(as|ns|gs|js|rpc|pba|cs):/.test(id)

function readUplink(uplink: Record<string, unknown>, base: SensorMessage): EnvelopeResult {
  const raw = uplink['frm_payload']
  const bytes = raw === undefined || raw === null ? undefined : bytesOf(raw)
  if (raw !== undefined && raw !== null && !bytes) return wrong('uplink_message.frm_payload', 'base64')
  const decoded = uplink['decoded_payload']
  const version = isRecord(uplink['version_ids']) ? uplink['version_ids'] : {}
  const [charge] = Object.values(
    isRecord(uplink['last_battery_percentage']) ? { value: uplink['last_battery_percentage']['value'] } : {},
  )
  const receptions = Array.isArray(uplink['rx_metadata']) ? uplink['rx_metadata'] : []
  return {
    messages: [
      {
        ...base,
        ...optional('maker', textOf(version['brand_id'])),
        ...optional('model', textOf(version['model_id'])),
        // The time in the uplink is the network server's; the outer one is the application server's.
        receivedAt: instantOf(uplink['received_at']) ?? base.receivedAt,
        ...optional('fPort', numberOf(uplink['f_port'])),
        ...optional('bytes', bytes),
        ...optional('object', isRecord(decoded) && Object.keys(decoded).length > 0 ? decoded : undefined),
        // The first frame has the counter 0, which the JSON omits.
        sequence: numberOf(uplink['f_cnt']) ?? 0,
        ...optional('session', textOf(uplink['session_key_id']) ?? base.session),
        radio: strongest(
          receptions.filter(isRecord).map((one) => {
            const gateway = isRecord(one['gateway_ids']) ? one['gateway_ids'] : {}
            return {
              ...optional('rssi', numberOf(one['rssi'] ?? one['channel_rssi'])),
              ...optional('snr', numberOf(one['snr'])),
              ...optional('gateway', textOf(gateway['eui'])?.toUpperCase() ?? textOf(gateway['gateway_id'])),
            }
          }),
        ),
        ...optional('battery', numberOf(charge)),
      },
    ],
  }
}

function idOf(payload: Record<string, unknown>): { deduplicationId?: string } {
  const [first] = Array.isArray(payload['correlation_ids']) ? payload['correlation_ids'] : []
  return optional('deduplicationId', textOf(first))
}
