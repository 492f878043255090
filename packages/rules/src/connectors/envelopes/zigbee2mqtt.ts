import type { Envelope, EnvelopeResult, SensorMessage } from '../types.ts'
import { deviceKeyOf, instantOf, isRecord, numberOf, optional, textOf } from '../values.ts'
import { missing, notFrom } from './refusals.ts'

/** Fields of a device's state that describe the device or the network and are not measured values. */
const notMeasured = new Set(['device', 'last_seen', 'linkquality', 'update', 'update_available', 'elapsed'])

/**
 * Reads messages of Zigbee2MQTT: a device's state (zigbee2mqtt/NAME), its availability (zigbee2mqtt/NAME/availability) and the
 * device list (zigbee2mqtt/bridge/devices). Names may contain slashes; the base topic is the first part.
 */
export function readZigbee2Mqtt({ payload, topic, now }: Envelope): EnvelopeResult {
  const path = topic?.split('/').slice(1).join('/')
  if (path === 'bridge/devices' || (path === undefined && Array.isArray(payload))) return readDevices(payload, now)
  if (path?.startsWith('bridge/')) return { messages: [] }
  // Commands to a device and single attributes repeat values of its state.
  if (path && /\/(set|get)(\/|$)/.test(`/${path}`)) return { messages: [] }
  const availability = path?.endsWith('/availability') ? path.slice(0, -'/availability'.length) : undefined
  if (availability !== undefined) return readAvailability(payload, availability, now)
  if (!isRecord(payload)) return notFrom('zigbee2mqtt', 'linkquality')
  const device = isRecord(payload['device']) ? payload['device'] : {}
  const name = textOf(path) ?? textOf(device['friendlyName'])
  const deviceKey = deviceKeyOf(device['ieeeAddr']) ?? deviceKeyOf(name)
  if (!deviceKey) {
    if (!('linkquality' in payload) && !('last_seen' in payload)) return notFrom('zigbee2mqtt', 'linkquality')
    return missing('device', 'send the topic, or set include_device_information to true in Zigbee2MQTT')
  }
  const object = Object.fromEntries(
    Object.entries(payload).filter(([key, value]) => !notMeasured.has(key) && value !== null),
  )
  // A device repeats its last values: only the time distinguishes a new message from a repeated one.
  const measuredAt = instantOf(payload['last_seen'])
  return {
    messages: [
      {
        kind: 'uplink',
        deviceKey,
        ...optional('name', name),
        ...optional('maker', textOf(device['manufacturerName'])),
        ...optional('model', textOf(device['model']) ?? textOf(device['modelId'])),
        receivedAt: now,
        ...optional('measuredAt', measuredAt),
        object,
        radio: optional('linkQuality', numberOf(payload['linkquality'])),
        ...optional('battery', numberOf(payload['battery'])),
      },
    ],
  }
}

/** 'online' and 'offline', or an object with such a state, depending on the version. */
function readAvailability(payload: unknown, name: string, now: number): EnvelopeResult {
  const state = isRecord(payload) ? payload['state'] : payload
  const deviceKey = deviceKeyOf(name)
  if (!deviceKey || (state !== 'online' && state !== 'offline')) return notFrom('zigbee2mqtt', 'state')
  return {
    messages: [{ kind: 'availability', deviceKey, name, receivedAt: now, isAvailable: state === 'online', radio: {} }],
  }
}

function readDevices(payload: unknown, now: number): EnvelopeResult {
  if (!Array.isArray(payload)) return notFrom('zigbee2mqtt', 'ieee_address')
  const messages = payload.filter(isRecord).flatMap((device): SensorMessage[] => {
    const deviceKey = deviceKeyOf(device['ieee_address'])
    if (!deviceKey || device['type'] === 'Coordinator') return []
    const definition = isRecord(device['definition']) ? device['definition'] : {}
    return [
      {
        kind: 'device-list',
        deviceKey,
        ...optional('name', textOf(device['friendly_name'])),
        ...optional('maker', textOf(definition['vendor']) ?? textOf(device['manufacturer'])),
        ...optional('model', textOf(definition['model']) ?? textOf(device['model_id'])),
        receivedAt: now,
        radio: {},
      },
    ]
  })
  if (!messages.length && payload.length && !payload.some((one) => isRecord(one) && 'ieee_address' in one))
    return notFrom('zigbee2mqtt', 'ieee_address')
  return { messages }
}
