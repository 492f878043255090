import type { MetricKey } from '../telemetry/metrics.ts'

/** The kinds of connections: whose messages a connection receives. */
export const connectionKinds = {
  chirpstack: { name: 'ChirpStack' },
  'the-things-stack': { name: 'The Things Stack' },
  zigbee2mqtt: { name: 'Zigbee2MQTT' },
  'generic-json': { name: 'Generic JSON' },
} as const satisfies Record<string, { name: string }>
export type ConnectionKind = keyof typeof connectionKinds
export const connectionKindNames = Object.keys(connectionKinds) as ConnectionKind[]

/** Readings of sensors behind a connection may be at most this old, in ms: sensors replay their stored logs. */
export const oldestSensorReading = 90 * 86_400_000

/** What a message of a sensor is about. */
export const messageKinds = ['uplink', 'join', 'status', 'log', 'ack', 'availability', 'device-list'] as const
export type MessageKind = (typeof messageKinds)[number]

/** A message of one sensor, as an adapter reads it from the envelope of its connection. */
export interface SensorMessage {
  kind: MessageKind
  /**
   * Identifies the sensor within its connection: a DevEUI or IEEE address as 16 upper-case hexadecimal digits, otherwise the name in
   * the message. Zigbee2MQTT names a device by its friendly name only: find the sensor whose `name` of a device list equals this key.
   */
  deviceKey: string
  /** The part of a body that this message was read from, if the body has parts of several sensors. */
  part?: unknown
  name?: string
  maker?: string
  model?: string
  /** When the network server received the message, in ms; the time of our receipt if the message has no time. */
  receivedAt: number
  /** When the sensor measured, in ms, if the message has such a time. */
  measuredAt?: number
  fPort?: number
  bytes?: Uint8Array
  /** What the network server decoded, or the values of a JSON message. */
  object?: Record<string, unknown>
  /** The frame counter. It starts again at 0 with each join: not unique without `session`. */
  sequence?: number
  /** The address or key id of the LoRaWAN session that `sequence` counts in. */
  session?: string
  deduplicationId?: string
  radio: Radio
  /** Charge in %. */
  battery?: number
  hasExternalPower?: boolean
  /** Of an availability message. */
  isAvailable?: boolean
  /** Of an acknowledgement: whether the sensor received the downlink, and the downlink's id at the network server. */
  isAcknowledged?: boolean
  downlinkId?: string
  /** Of a log message. */
  level?: 'info' | 'warning' | 'error'
  text?: string
}

export interface Radio {
  /** dBm, of the gateway with the best reception */
  rssi?: number
  /** dB */
  snr?: number
  gateway?: string
  /** Zigbee link quality, 0 to 255 */
  linkQuality?: number
}

/** A body that an adapter cannot read, with a sentence for the person who set up the connection. */
export interface Refusal {
  reason: 'wrong kind' | 'missing field' | 'wrong value' | 'not JSON'
  text: string
  field?: string
}

/** What an adapter reads: one message per sensor, none if the body concerns no sensor (a bridge's own log, for example). */
export type EnvelopeResult =
  | {
      messages: SensorMessage[]
      /** Entries of the body that are no message; `first` says why of the first one. */
      refused?: { count: number; first: string }
    }
  | { refusal: Refusal }

export interface Envelope {
  /** The parsed JSON body. */
  payload: unknown
  /** The MQTT topic, or the `topic` of a webhook's query. Zigbee2MQTT names the device only there. */
  topic?: string
  /** The `event` of a webhook's query, as ChirpStack sends it. */
  event?: string
  /** When Caretaker received the body, in ms. */
  now: number
  /** Of generic JSON. */
  paths?: GenericPaths
}

/** Where a generic JSON message has its parts: paths such as `device.id` or `readings.0.value`. */
export interface GenericPaths {
  deviceKey: string
  /** ISO 8601, or seconds or milliseconds since the epoch; the time of receipt counts without it. */
  time?: string
  /** The object with the values; the whole message without it. */
  values?: string
  /** An array with one message per entry; the other paths start at the entry. */
  items?: string
  name?: string
  maker?: string
  model?: string
  sequence?: string
}

/** A decoded value: what a mapping can turn into a reading, a state or an event. */
export type DecodedValue = number | string | boolean

/** Decoded values of one instant by their path. */
export interface DecodedSample {
  /** ms; left out for values of the message's own time. */
  measuredAt?: number
  values: Record<string, DecodedValue>
}

/** Bytes that belong together, and the paths of the values that were read from them. */
export interface ByteSegment {
  start: number
  /** Exclusive. */
  end: number
  paths: string[]
}

/** The result of decoding one message. */
export interface Decoded {
  /** As people read it: 'ChirpStack', 'Milesight, built in', 'Codec, version 3'. */
  decoder: string
  /** None if nothing could be decoded; `errors` says why. */
  samples: DecodedSample[]
  warnings: string[]
  errors: string[]
  /** Values that are not read because there are too many of them, by their path. */
  beyond?: Record<string, DecodedValue>
  /** Units of values by their path, as far as the decoder knows them. */
  units?: Record<string, string>
  /** Of built-in decoders only. */
  segments?: ByteSegment[]
}

/** What sensors report about themselves and is kept as a state. */
export const sensorStates = {
  firmware: { label: 'Firmware' },
  tamper: { label: 'Tamper contact' },
  switchedOn: { label: 'Switched on' },
  thermostatMode: { label: 'Thermostat mode' },
  thermostatActivity: { label: 'Thermostat activity' },
  lowBattery: { label: 'Low battery' },
  externalPower: { label: 'External power' },
} as const satisfies Record<string, { label: string }>
export type SensorState = keyof typeof sensorStates
export const sensorStateNames = Object.keys(sensorStates) as SensorState[]

/** What happens once and is kept as an event. */
export const sensorEvents = {
  button: { label: 'Button pressed' },
  alarm: { label: 'Alarm reported' },
  testResult: { label: 'Test result reported' },
} as const satisfies Record<string, { label: string }>
export type SensorEvent = keyof typeof sensorEvents
export const sensorEventNames = Object.keys(sensorEvents) as SensorEvent[]

/** What a path is mapped to. */
export type MappingTarget =
  | {
      to: 'metric'
      metric: MetricKey
      /** The unit of value × factor, one of `unitsOf(metric)`; the reading is converted to the metric's own unit. */
      unit: string
      factor: number
      /** Numbers for values that are words or true and false, by lower-case word: `{ open: 1, closed: 0 }`. */
      words?: Record<string, number>
    }
  /** An extra metric under its own name. */
  | { to: 'extra'; name: string; factor: number }
  | { to: 'state'; state: SensorState }
  | { to: 'event'; event: SensorEvent }
  | { to: 'unused' }

export type MappingRow = { path: string } & MappingTarget

/** The mapping of one model; a path occurs once. */
export type Mapping = readonly MappingRow[]

/** A value that is not stored, and why. */
export interface RejectedValue {
  path: string
  value: DecodedValue
  reason: 'out of range' | 'not a number' | 'unknown word' | 'wrong time' | 'too many values'
  /** A sentence: 'Outside 0–10,000 ppm'. */
  text: string
}

/** What a mapping made of a decoded message. */
export interface MappedMessage {
  /** In the metrics' own units, oldest first; extra metrics under their names. */
  readings: { ts: number; values: Record<string, number> }[]
  states: Partial<Record<SensorState, DecodedValue>>
  events: { at: number; event: SensorEvent; value: DecodedValue }[]
  rejected: RejectedValue[]
  /** Paths with a value that no row uses. */
  unused: { path: string; value: DecodedValue }[]
}
