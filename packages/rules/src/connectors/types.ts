import type { MetricKey } from '../telemetry/metrics.ts'

/** The kinds of connections: the system that the messages come from. */
export const connectionKinds = {
  chirpstack: { name: 'ChirpStack' },
  'the-things-stack': { name: 'The Things Stack' },
  zigbee2mqtt: { name: 'Zigbee2MQTT' },
  'generic-json': { name: 'Generic JSON' },
} as const satisfies Record<string, { name: string }>
export type ConnectionKind = keyof typeof connectionKinds
export const connectionKindNames = Object.keys(connectionKinds) as ConnectionKind[]

/** Greatest age of readings from sensors on a connection, in ms: sensors replay their stored logs. */
export const oldestSensorReading = 90 * 86_400_000

/** The kind of a sensor's message. */
export const messageKinds = ['uplink', 'join', 'status', 'log', 'ack', 'availability', 'device-list'] as const
export type MessageKind = (typeof messageKinds)[number]

/** A message of one sensor, as an adapter reads it from the envelope of its connection. */
export interface SensorMessage {
  kind: MessageKind
  /**
   * Identifies the sensor within its connection: a DevEUI or IEEE address as 16 upper-case hexadecimal digits, otherwise the
   * name in the message. Zigbee2MQTT names a device only by its friendly name: find the sensor whose `name` in a device list
   * equals this key.
   */
  deviceKey: string
  /** The part of a body that this message was read from, if the body has parts of several sensors. */
  part?: unknown
  name?: string
  maker?: string
  model?: string
  /** When the network server received the message, in ms; the time of our receipt if the message has none. */
  receivedAt: number
  /** When the sensor measured, in ms, if the message contains that time. */
  measuredAt?: number
  fPort?: number
  bytes?: Uint8Array
  /** The values decoded by the network server, or the values of a JSON message. */
  object?: Record<string, unknown>
  /** The frame counter. It restarts at 0 with each join, so it is unique only together with `session`. */
  sequence?: number
  /** The address or key id of the LoRaWAN session that `sequence` counts in. */
  session?: string
  deduplicationId?: string
  /** Where the network server accepts downlinks for this sensor; only in uplinks. */
  downlink?: DownlinkAddress
  radio: Radio
  /** Charge in %. */
  battery?: number
  hasExternalPower?: boolean
  /** Only in availability messages. */
  isAvailable?: boolean
  /** Only in acknowledgements: whether the sensor received the downlink, and the downlink's id at the network server. */
  isAcknowledged?: boolean
  downlinkId?: string
  /** Only in log messages. */
  level?: 'info' | 'warning' | 'error'
  text?: string
}

/** Where a network server accepts downlinks for a sensor. */
export interface DownlinkAddress {
  /** The MQTT topic, if the uplink arrived over MQTT. */
  topic?: string
  /** Ids at The Things Stack. */
  application?: string
  device?: string
}

export interface Radio {
  /** In dBm, of the gateway with the best reception. */
  rssi?: number
  /** In dB. */
  snr?: number
  gateway?: string
  /** Zigbee link quality, 0 to 255. */
  linkQuality?: number
}

/** A body that an adapter cannot read, with a sentence for the person who set up the connection. */
export interface Refusal {
  reason: 'wrong kind' | 'missing field' | 'wrong value' | 'not JSON'
  text: string
  field?: string
}

/**
 * The result of an adapter: one message per sensor, or none if the body concerns no sensor (a bridge's own log, for example).
 */
export type EnvelopeResult =
  | {
      messages: SensorMessage[]
      /** Entries of the body that are not messages; `first` is the reason for the first one. */
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
  /** Only for generic JSON. */
  paths?: GenericPaths
}

/** Paths within a generic JSON message, such as `device.id` or `readings.0.value`. */
export interface GenericPaths {
  deviceKey: string
  /** An ISO 8601 text, or seconds or milliseconds since the epoch; if left out, the time of receipt is used. */
  time?: string
  /** The object with the values; if left out, the whole message. */
  values?: string
  /** An array with one message per entry; the other paths are relative to the entry. */
  items?: string
  name?: string
  maker?: string
  model?: string
  sequence?: string
}

/** A decoded value, which a mapping can turn into a reading, a state or an event. */
export type DecodedValue = number | string | boolean

/** Decoded values from one instant, by path. */
export interface DecodedSample {
  /** In ms; omitted for values with the time of the message. */
  measuredAt?: number
  values: Record<string, DecodedValue>
}

/** Bytes that belong together, and the paths of the values read from them. */
export interface ByteSegment {
  start: number
  /** Exclusive. */
  end: number
  paths: string[]
}

/** The result of decoding one message. */
export interface Decoded {
  /** The display name: 'ChirpStack', 'Milesight, built in', 'Codec, version 3'. */
  decoder: string
  /** Empty if nothing could be decoded; `errors` contains the reason. */
  samples: DecodedSample[]
  warnings: string[]
  errors: string[]
  /** Values that are not read because there are too many of them, by their path. */
  beyond?: Record<string, DecodedValue>
  /** Units of values by path, as far as the decoder knows them. */
  units?: Record<string, string>
  /** Only from built-in decoders. */
  segments?: ByteSegment[]
}

/** Reports of sensors about themselves that are stored as states. */
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

/** Occurrences that are stored as events. */
export const sensorEvents = {
  button: { label: 'Button pressed' },
  alarm: { label: 'Alarm reported' },
  testResult: { label: 'Test result reported' },
} as const satisfies Record<string, { label: string }>
export type SensorEvent = keyof typeof sensorEvents
export const sensorEventNames = Object.keys(sensorEvents) as SensorEvent[]

/** The target of a path. */
export type MappingTarget =
  | {
      to: 'metric'
      metric: MetricKey
      /** The unit of value × factor, one of `unitsOf(metric)`; the reading is converted to the metric's own unit. */
      unit: string
      factor: number
      /** Numbers for values that are words, true or false; the keys are in lower case: `{ open: 1, closed: 0 }`. */
      words?: Record<string, number>
    }
  /** An extra metric with its own name. */
  | { to: 'extra'; name: string; factor: number }
  | { to: 'state'; state: SensorState }
  | { to: 'event'; event: SensorEvent }
  | { to: 'unused' }

export type MappingRow = { path: string } & MappingTarget

/** The mapping of one model; each path occurs once. */
export type Mapping = readonly MappingRow[]

/** A value that is not stored, and the reason. */
export interface RejectedValue {
  path: string
  value: DecodedValue
  reason: 'out of range' | 'not a number' | 'unknown word' | 'wrong time' | 'too many values'
  /** A sentence such as 'Outside 0–10,000 ppm'. */
  text: string
}

/** The result of mapping a decoded message. */
export interface MappedMessage {
  /** In the metrics' own units, oldest first; extra metrics under their names. */
  readings: { ts: number; values: Record<string, number> }[]
  states: Partial<Record<SensorState, DecodedValue>>
  events: { at: number; event: SensorEvent; value: DecodedValue }[]
  rejected: RejectedValue[]
  /** Paths with a value that no row uses. */
  unused: { path: string; value: DecodedValue }[]
}
