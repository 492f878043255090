/** The header in which a network server sends the key of its connection. */
export const connectionKeyHeader = 'X-Connection-Key'
/** The prefix of a connection's key. */
export const connectionKeyPrefix = 'ctk_'

/** How messages of a connection arrive. */
export const connectionTransports = ['webhook', 'mqtt'] as const
export type ConnectionTransport = (typeof connectionTransports)[number]

export const connectionStates = ['Working', 'Errors', 'No messages', 'Paused'] as const
export type ConnectionState = (typeof connectionStates)[number]

/**
 * The result of one message. `Waiting`: the sensor has not been added to a property yet; the message is kept until
 * then. `Ignored`: someone chose to ignore the sensor.
 */
export const messageResults = ['Stored', 'Partial', 'Not decoded', 'Duplicate', 'Waiting', 'Ignored'] as const
export type MessageResult = (typeof messageResults)[number]

/** Why a message of a connection, or a value in it, was not stored. */
export const connectionErrors = {
  'invalid key': 'Invalid key',
  paused: 'Connection paused',
  'not JSON': 'Not valid JSON',
  'wrong shape': 'Not a message of this kind of server',
  'too large': 'Message too large',
  'out of range': 'Value out of range',
  'wrong value': 'Value of the wrong type',
  'wrong time': 'Time too far in the past or future',
  'not decoded': 'Payload not decoded',
  'codec failed': 'Codec failed',
  'codec stopped': 'Codec stopped',
  'too many sensors': 'Too many new sensors',
  'too many messages': 'Too many messages',
} as const
export type ConnectionError = keyof typeof connectionErrors
export const connectionErrorNames = Object.keys(connectionErrors) as ConnectionError[]

export const connectionTestStates = ['waiting', 'received', 'invalid key', 'wrong kind', 'no message'] as const
export type ConnectionTestState = (typeof connectionTestStates)[number]

/** Largest body of one message, in bytes. */
export const messageLimit = 262_144
/** Messages that one connection may send, counted per minute. */
export const messagesOfConnection = { most: 6000, seconds: 60 }
export const mostConnections = 50
/** The most sensors of one client that are waiting to be added or are ignored. */
export const mostNewSensors = 5000
/** How many messages are kept per sensor, and for how many days. */
export const keptMessages = 100
export const keptDays = 30
/** Maximum stored messages that one transaction turns into readings. */
export const storedAtOnce = 500
/** Sensors on one page of a list. */
export const sensorsPerPage = 100
/** Maximum sensors that one call adds. */
export const mostAddedAtOnce = 200
/** How long a test waits for the first message, in ms. */
export const testFor = 600_000
/** The longest source code of a codec, in characters. */
export const codecLimit = 40_000

export interface ConnectionActivity {
  paused: { at: number; reason: string } | null
  createdAt: number
  lastMessageAt: number | null
  /**
   * The usual interval in seconds between two messages of the sensor that reports most often; null until a sensor has sent two. The gaps between messages of different sensors do not count: all may report within the same
   * minute of each hour.
   */
  usualInterval: number | null
  /** Errors of the last 24 h. */
  errors: number
  lastErrorAt: number | null
  /** The most frequent reason, as text. */
  mainReason: string | null
  /** Of MQTT connections; `error` is the reason why the broker cannot be reached. */
  broker?: { isConnected: boolean; error: string | null } | null
}

export interface ConnectionHealth {
  state: ConnectionState
  reason: string | null
  /** ms since the epoch */
  since: number
}

/** A connection is silent after three times its usual interval, but never sooner than this, in seconds. */
const shortestSilence = 900
/** A connection that never sent anything is silent after this time, in seconds. */
const firstMessageWithin = 3600

/** How soon after its creation a connection has to reach its broker, in seconds. */
const connectedWithin = 60

/** The state of a connection at `now`. In order of precedence: paused, broker cannot be reached, silent, errors. */
export function judgeConnection(activity: ConnectionActivity, now: number): ConnectionHealth {
  const { paused, createdAt, lastMessageAt, usualInterval, errors, lastErrorAt, mainReason, broker } = activity
  if (paused) return { state: 'Paused', reason: paused.reason, since: paused.at }
  if (broker && !broker.isConnected && (broker.error !== null || now - createdAt > connectedWithin * 1000))
    return {
      ...{ state: 'Errors', reason: broker.error ?? 'The broker is not connected' },
      since: lastMessageAt ?? createdAt,
    }
  if (lastMessageAt === null) {
    if (errors > 0) return { state: 'Errors', reason: mainReason, since: lastErrorAt ?? createdAt }
    const isSilent = now - createdAt > firstMessageWithin * 1000
    return isSilent
      ? { state: 'No messages', reason: 'No message has arrived yet', since: createdAt }
      : { state: 'Working', reason: 'Waiting for the first message', since: createdAt }
  }
  const silentAfter = Math.max(shortestSilence, 3 * (usualInterval ?? firstMessageWithin)) * 1000
  if (now - lastMessageAt > silentAfter)
    return { state: 'No messages', reason: 'Longer than three times the usual interval', since: lastMessageAt }
  if (errors > 0) return { state: 'Errors', reason: mainReason, since: lastErrorAt ?? lastMessageAt }
  return { state: 'Working', reason: null, since: lastMessageAt }
}
