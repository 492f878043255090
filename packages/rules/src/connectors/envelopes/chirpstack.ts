import { bytesOf, deviceKeyOf, instantOf, isRecord, numberOf, optional, textOf } from '../values.ts'
import type { Envelope, EnvelopeResult, MessageKind, Radio, SensorMessage } from '../types.ts'
import { strongest } from './radio.ts'
import { missing, notFrom, wrong } from './refusals.ts'

const kinds: Readonly<Record<string, MessageKind>> = {
  up: 'uplink',
  join: 'join',
  status: 'status',
  log: 'log',
  ack: 'ack',
}
/** Events that concern a sensor but contain nothing to store. */
const ignored = new Set(['txack', 'location', 'integration'])
const levels: Readonly<Record<string, SensorMessage['level']>> = { INFO: 'info', WARNING: 'warning', ERROR: 'error' }

/**
 * Reads events of ChirpStack v4 as JSON. The event's name is in the query of the webhook or at the end of the MQTT topic
 * (application/ID/device/DEVEUI/event/up); without it, the fields decide.
 */
export function readChirpStack({ payload, topic, event, now }: Envelope): EnvelopeResult {
  if (!isRecord(payload) || !isRecord(payload['deviceInfo'])) return notFrom('chirpstack', 'deviceInfo')
  const info = payload['deviceInfo']
  const deviceKey = deviceKeyOf(info['devEui'])
  if (!deviceKey) return missing('deviceInfo.devEui', 'it names the sensor')
  const named = event ?? /\/event\/(\w+)$/.exec(topic ?? '')?.[1]
  if (named !== undefined && ignored.has(named)) return { messages: [] }
  const kind = (named && kinds[named]) || kindOf(payload)
  if (!kind) return { messages: [] }

  const message: SensorMessage = {
    kind,
    deviceKey,
    ...optional('name', textOf(info['deviceName'])),
    ...modelOf(info),
    receivedAt: instantOf(payload['time']) ?? now,
    ...optional('deduplicationId', textOf(payload['deduplicationId'])),
    radio: radioOf(payload['rxInfo']),
  }
  if (kind === 'uplink') {
    const bytes = payload['data'] === undefined || payload['data'] === null ? undefined : bytesOf(payload['data'])
    if (payload['data'] !== undefined && payload['data'] !== null && !bytes) return wrong('data', 'base64')
    Object.assign(message, {
      ...optional('fPort', numberOf(payload['fPort'])),
      ...optional('bytes', bytes),
      // Without a codec, ChirpStack sends no object or an empty one.
      ...optional(
        'object',
        isRecord(payload['object']) && Object.keys(payload['object']).length > 0 ? payload['object'] : undefined,
      ),
      ...optional('sequence', numberOf(payload['fCnt'])),
      ...optional('session', textOf(payload['devAddr'])),
    })
  }
  if (kind === 'join') Object.assign(message, optional('session', textOf(payload['devAddr'])))
  if (kind === 'status') {
    // A sensor with external power has no battery to report: ChirpStack writes 0.
    const isUnknown =
      payload['batteryLevelUnavailable'] === true ||
      (payload['externalPowerSource'] === true && numberOf(payload['batteryLevel']) === 0)
    Object.assign(message, {
      ...optional('battery', isUnknown ? undefined : numberOf(payload['batteryLevel'])),
      ...optional(
        'hasExternalPower',
        typeof payload['externalPowerSource'] === 'boolean' ? payload['externalPowerSource'] : undefined,
      ),
    })
  }
  if (kind === 'log') {
    message.level = levels[String(payload['level']).toUpperCase()] ?? 'info'
    message.text = [textOf(payload['code']), textOf(payload['description'])].filter(Boolean).join(': ').slice(0, 500)
  }
  if (kind === 'ack') {
    message.isAcknowledged = payload['acknowledged'] === true
    Object.assign(message, optional('downlinkId', textOf(payload['queueItemId'])))
  }
  return { messages: [message] }
}

/** The kind of an event without a name, from the fields that only this kind has. */
function kindOf(payload: Record<string, unknown>): MessageKind | undefined {
  if ('acknowledged' in payload) return 'ack'
  if ('level' in payload && 'code' in payload) return 'log'
  if ('batteryLevel' in payload || 'externalPowerSource' in payload || 'batteryLevelUnavailable' in payload)
    return 'status'
  if ('fCnt' in payload || 'data' in payload || 'fPort' in payload) return 'uplink'
  if ('gatewayId' in payload || 'location' in payload || 'integrationName' in payload) return undefined
  return 'devAddr' in payload ? 'join' : undefined
}

/** Maker and model from the tags of the device, or from a profile named after them: 'Milesight EM300-TH'. */
function modelOf(info: Record<string, unknown>): { maker?: string; model?: string } {
  const tags = isRecord(info['tags']) ? info['tags'] : {}
  const tag = (...names: string[]) =>
    Object.entries(tags).flatMap(([name, value]) =>
      names.includes(name.toLowerCase()) ? (textOf(value) ?? []) : [],
    )[0]
  return {
    ...optional('maker', tag('maker', 'manufacturer', 'vendor', 'brand')),
    ...optional('model', tag('model', 'devicemodel', 'device_model') ?? textOf(info['deviceProfileName'])),
  }
}

function radioOf(receptions: unknown): Radio {
  return strongest(
    (Array.isArray(receptions) ? receptions : []).filter(isRecord).map((one) => ({
      ...optional('rssi', numberOf(one['rssi'])),
      ...optional('snr', numberOf(one['snr'])),
      ...optional('gateway', textOf(one['gatewayId'])?.toUpperCase()),
    })),
  )
}
