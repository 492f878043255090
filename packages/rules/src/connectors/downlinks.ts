import { findDecoder } from './decoders/registry.ts'
import { fillTemplate, fillTopic, matchesFilter, usualTemplate } from './downlink-templates.ts'
import { suggestMapping } from './suggestions.ts'
import type { ConnectionKind, DecodedValue, DownlinkAddress, MappingRow } from './types.ts'

/** The set points that a thermostat accepts, in °C. */
export interface SetPointRange {
  min: number
  max: number
  step: number
}

/**
 * The content of a downlink: a LoRaWAN payload, values by name for Zigbee2MQTT, or the set point in °C for the template of a
 * generic JSON connection.
 */
export type DownlinkContent =
  | { fPort: number; bytes: Uint8Array }
  | { values: Record<string, number> }
  | { setPoint: number }

/** How the set point of a thermostat is changed. */
export interface SetPointControl {
  range: SetPointRange
  /** The content of the downlink, or why it cannot be sent. */
  contentOf(celsius: number): { content: DownlinkContent } | { refusal: string }
}

/** The data of a thermostat that its connection stores. */
export interface Thermostat {
  kind: ConnectionKind
  deviceKey: string
  maker: string | null
  model: string | null
  /** Decoded values of its last message by path. */
  lastValues: Readonly<Record<string, DecodedValue>>
  /** Saved rows; null while the suggestions apply. */
  mapping: readonly MappingRow[] | null
}

/** Milesight receives downlinks on this port unless it was changed on the sensor. */
const milesightPort = 85

/** Modes of a WT201 in downlinks (Milesight WT201 payload description), keyed by the words of its uplinks. */
const wt201Modes: Readonly<Record<string, number>> = { heat: 0, 'em heat': 1, cool: 2, auto: 3 }

/**
 * A WT201 set point: channel FF with type B7 accepts whole degrees in every firmware, type FA tenths from firmware 1.3.
 * Both also set the mode, so it has to be the current one.
 */
export function encodeWt201SetPoint(celsius: number, mode: string): Uint8Array | undefined {
  const code = Object.hasOwn(wt201Modes, mode) ? wt201Modes[mode]! : undefined
  if (code === undefined) return undefined
  // Bit 7 would mean °F.
  if (Number.isInteger(celsius)) return Uint8Array.of(0xff, 0xb7, code, celsius & 0x7f)
  const tenths = Math.round(celsius * 10)
  return Uint8Array.of(0xff, 0xfa, code, tenths & 0xff, (tenths >> 8) & 0xff)
}

const wt201: SetPointRange = { min: 5, max: 35, step: 0.5 }
const otherThermostats: SetPointRange = { min: 5, max: 30, step: 0.5 }

/** How the set point of a sensor is changed; undefined if it has none that Caretaker can change. */
export function setPointControl(sensor: Thermostat): SetPointControl | undefined {
  const { kind, maker, model, deviceKey, lastValues } = sensor
  if (kind === 'zigbee2mqtt') {
    const path = setPointPath(sensor)
    return path === undefined
      ? undefined
      : { range: otherThermostats, contentOf: (celsius) => ({ content: { values: { [path]: celsius } } }) }
  }
  if (kind === 'generic-json')
    return reportsSetPoint(sensor)
      ? { range: otherThermostats, contentOf: (celsius) => ({ content: { setPoint: celsius } }) }
      : undefined
  const decoder = findDecoder({ maker, model, deviceKey })
  if (decoder?.maker !== 'Milesight' || decoder.model !== 'wt201') return undefined
  return {
    range: wt201,
    contentOf: (celsius) => {
      const mode = modeIn(lastValues)
      const bytes = mode === undefined ? undefined : encodeWt201SetPoint(celsius, mode)
      return bytes
        ? { content: { fPort: milesightPort, bytes } }
        : {
            refusal:
              'The thermostat has not reported its mode yet. Its set point can be changed after its next message.',
          }
    },
  }
}

/** Names of the mode in the built-in decoder and in Milesight's own codec. */
const modePaths = ['temperature_control_mode', 'temperature_ctl_mode']
function modeIn(values: Thermostat['lastValues']): string | undefined {
  const mode = modePaths.map((path) => values[path]).find((value) => typeof value === 'string')
  return typeof mode === 'string' ? mode.replaceAll('_', ' ') : undefined
}

/** The value of a Zigbee thermostat that is mapped to the set point without a factor; commands use the same name. */
function setPointPath(sensor: Thermostat): string | undefined {
  return setPointRows(sensor).find((row) => row.unit === '°C' && row.factor === 1 && !row.path.includes('.'))?.path
}

const reportsSetPoint = (sensor: Thermostat) => setPointRows(sensor).length > 0

/** The rows of values in the last message that are mapped to the set point. */
function setPointRows({ lastValues, mapping }: Thermostat) {
  const rows = mapping ?? suggestMapping([{ values: { ...lastValues } }])
  return rows.filter(
    (row) => row.to === 'metric' && row.metric === 'setPoint' && Object.hasOwn(lastValues, row.path),
  ) as Extract<MappingRow, { to: 'metric' }>[]
}

/** Why a set point is not accepted; undefined if it is. */
export function setPointFault(celsius: number, { min, max, step }: SetPointRange): string | undefined {
  return celsius >= min && celsius <= max && Number.isInteger(celsius / step)
    ? undefined
    : `The set point must be a number from ${min} to ${max} °C in steps of ${step} °C`
}

/** The settings that a connection needs for sending downlinks, beyond those for receiving messages. */
export interface DownlinkNeeds {
  /** The API of a network server, or any address that accepts commands over HTTP. */
  url: boolean
  /** Whether that address requires a token. */
  token: boolean
  /** The MQTT topic of commands, if it cannot be derived from the messages. */
  topic: boolean
  /** Whether the JSON of commands can be set. */
  template: boolean
}
export function downlinkNeeds(kind: ConnectionKind, transport: 'webhook' | 'mqtt'): DownlinkNeeds {
  const isWebhook = transport === 'webhook'
  const isGeneric = kind === 'generic-json'
  return {
    url: isWebhook,
    token: isWebhook && (kind === 'chirpstack' || kind === 'the-things-stack'),
    topic: isGeneric && !isWebhook,
    template: isGeneric,
  }
}

/** The settings with which a connection sends downlinks; `downlinkNeeds` determines which ones. */
export interface DownlinkTarget {
  url?: string
  topic?: string
  template?: string
}

/** Where a sensor's network server accepts downlinks, according to the topic and body of an uplink. */
export function downlinkAddressOf(kind: ConnectionKind, topic: string | undefined, body: unknown): DownlinkAddress {
  if (kind === 'chirpstack')
    return topic && /\/event\/\w+$/.test(topic) ? { topic: topic.replace(/\/event\/\w+$/, '/command/down') } : {}
  if (kind === 'zigbee2mqtt') return topic ? { topic: `${topic}/set` } : {}
  if (kind !== 'the-things-stack') return {}
  const ids = partOf(body, 'end_device_ids')
  const [application, device] = [textIn(partOf(ids, 'application_ids'), 'application_id'), textIn(ids, 'device_id')]
  return {
    ...(topic?.endsWith('/up') && { topic: topic.replace(/up$/, 'down/push') }),
    ...(application && device && { application, device }),
  }
}

const partOf = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[name] : undefined
const textIn = (value: unknown, name: string): string | undefined => {
  const text = partOf(value, name)
  return typeof text === 'string' && text ? text : undefined
}

/** A downlink as an MQTT message to the broker of the connection. */
export interface MqttDownlink {
  topic: string
  body: unknown
}
/** A downlink as an HTTP call to the network server; the path is appended to the server's address. */
export interface HttpDownlink {
  path: string
  /** The header that contains the token as `Bearer TOKEN`. */
  header: string
  body: unknown
}

interface Downlink {
  kind: ConnectionKind
  /** The id of the command, which the network server's acknowledgement contains. */
  id: string
  deviceKey: string
  address: DownlinkAddress
  content: DownlinkContent
  target?: DownlinkTarget | null
}

const unknownAddress = 'The sensor has not yet sent a message that shows where its network server accepts downlinks.'

/**
 * The MQTT message of a downlink, or why there is none.
 *
 * @param subscription the topic that the connection receives messages from
 */
export function mqttDownlink(
  { kind, id, deviceKey, address: { topic }, content, target }: Downlink,
  subscription?: string,
): MqttDownlink | string {
  if ('setPoint' in content) {
    const own = target?.topic === undefined ? undefined : fillTopic(target.topic, deviceKey)
    if (own === undefined) return 'The id of the sensor cannot be part of an MQTT topic.'
    if (subscription !== undefined && matchesFilter(own, subscription)) return echoText
    return { topic: own, body: templateBody(id, deviceKey, content.setPoint, target) }
  }
  if (topic === undefined) return unknownAddress
  if ('values' in content) return { topic, body: content.values }
  const data = base64(content.bytes)
  if (kind === 'chirpstack')
    return { topic, body: { devEui: deviceKey.toLowerCase(), confirmed: false, fPort: content.fPort, data } }
  return { topic, body: thingsStackBody(id, content.fPort, data) }
}

/** Why commands cannot have a topic: Caretaker would receive its own command as a report and take it for a confirmation. */
export const echoText =
  'The connection would receive its own commands: choose a topic for commands that the topic of the messages does not include.'

const templateBody = (id: string, sensor: string, setPoint: number, target: DownlinkTarget | null | undefined) =>
  fillTemplate(JSON.parse(target?.template ?? usualTemplate), { id, sensor, setPoint })

/** The HTTP call of a downlink, or why there is none. */
export function httpDownlink({ kind, id, deviceKey, address, content, target }: Downlink): HttpDownlink | string {
  if ('setPoint' in content)
    return { path: '', header: 'Authorization', body: templateBody(id, deviceKey, content.setPoint, target) }
  if ('values' in content) {
    // A message such as a Node-RED flow forwards to the broker of Zigbee2MQTT.
    if (address.topic === undefined) return unknownTopic
    return { path: '', header: 'Authorization', body: { topic: address.topic, payload: content.values } }
  }
  const data = base64(content.bytes)
  if (kind === 'chirpstack')
    return {
      path: `/api/devices/${encodeURIComponent(deviceKey.toLowerCase())}/queue`,
      header: 'Grpc-Metadata-Authorization',
      body: { queueItem: { confirmed: false, fPort: content.fPort, data } },
    }
  const { application, device } = address
  if (application === undefined || device === undefined) return unknownAddress
  return {
    path: `/api/v3/as/applications/${encodeURIComponent(application)}/devices/${encodeURIComponent(device)}/down/push`,
    header: 'Authorization',
    body: thingsStackBody(id, content.fPort, data),
  }
}

const unknownTopic = 'The messages of this sensor have no topic. Send the topic in the query of the webhook.'

const thingsStackBody = (id: string, fPort: number, data: string) => ({
  downlinks: [{ frm_payload: data, f_port: fPort, priority: 'NORMAL', correlation_ids: [`caretaker:${id}`] }],
})

const base64 = (bytes: Uint8Array) => btoa(String.fromCodePoint(...bytes))

/** Why a network server did not accept a downlink, in words. `isFinal`: another attempt would end the same way. */
export function downlinkFault(name: string, status: number): { text: string; isFinal: boolean } {
  if (status === 401 || status === 403)
    return { text: `${name} refuses the API token. Enter a new one in the settings of the connection.`, isFinal: true }
  if (status === 404)
    return { text: `${name} does not know this sensor, or its API has another address.`, isFinal: true }
  if (status >= 300 && status < 500 && status !== 408 && status !== 429)
    return { text: `${name} refuses the downlink with status ${status}.`, isFinal: true }
  return { text: `${name} responded ${status}.`, isFinal: false }
}
