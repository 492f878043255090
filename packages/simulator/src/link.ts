import type { MqttClient } from 'mqtt'
import { connect } from 'mqtt'
import { createOutbox } from './outbox.ts'
import type { Message } from './outbox.ts'
import type { Random } from './random.ts'
import type { Schedule } from './schedule.ts'

export interface Link {
  /** Sends a message at once, or when the connection is back. */
  send(message: Omit<Message, 'lost'>): void
  /** Connects, and keeps trying until it is dropped or stopped. */
  open(): void
  /** Drops the connection without a disconnect message, as a device does, until it is opened again. */
  drop(): void
  /** Sends the remaining messages within the grace period and disconnects. */
  stop(): Promise<void>
  readonly connected: boolean
}

export interface LinkOptions {
  url: string
  deviceId: string
  username: string
  password: string
  /** Topics to subscribe to. */
  topics: string[]
  schedule: Schedule
  clock: () => number
  random: Random
  onConnect: () => void
  onMessage: (topic: string, payload: Buffer) => void
  /** Called with the reason for each failed attempt. */
  onFailure: (reason: string) => void
}

const loopback = new Set(['localhost', '127.0.0.1', '[::1]'])

/** The maximum numbers of messages that wait while offline, and that are in flight. */
const limit = 200
const window = 20
/** The time between attempts in ms: the first wait, which doubles each time, and the longest. */
const firstWait = 1000
const longestWait = 30_000
/** Milliseconds that a stopping device waits for acknowledgements. */
const grace = 1000

/** Milliseconds until the next attempt, randomised so that a fleet does not reconnect all at once. */
export function backoff(failures: number, random: Random): number {
  return Math.min(longestWait, firstWait * 2 ** failures) * (0.5 + random() / 2)
}

/**
 * The connection of one device. Each attempt uses a new client; a lost connection's unacknowledged messages are kept
 * here and sent again by the next client.
 */
export function createLink(options: LinkOptions): Link {
  const { url, deviceId, username, password, topics, schedule, clock, random } = options
  const outbox = createOutbox(limit, window)
  let client: MqttClient | undefined
  let failures = 0
  let away = true
  let stopped = false
  let emptied: (() => void) | undefined

  function flush(): void {
    const current = client
    if (!current?.connected) return
    for (let message = outbox.next(); message; message = outbox.next()) {
      const sent = message
      current.publish(sent.topic, sent.payload, { qos: 1 }, (error) => {
        if (error || client !== current) return
        outbox.done(sent)
        if (outbox.flying + outbox.waiting === 0) emptied?.()
        flush()
      })
    }
  }

  function forget(current: MqttClient): void {
    client = undefined
    current.end(true)
    outbox.rewind()
  }

  function attempt(): void {
    if (client || away || stopped) return
    const current = connect(url, {
      clientId: deviceId,
      username,
      password,
      protocolVersion: 4,
      clean: true,
      reconnectPeriod: 0,
      resubscribe: false,
      connectTimeout: 10_000,
      keepalive: 60,
      // A local connection cannot be intercepted, and the certificate has the public host name.
      rejectUnauthorized: !loopback.has(new URL(url).hostname),
    })
    client = current
    let reason = 'the connection was closed'
    current.on('connect', () => {
      if (client !== current) return
      failures = 0
      if (topics.length > 0) current.subscribe(topics, { qos: 1 }, () => {})
      options.onConnect()
      flush()
    })
    current.on('message', (topic, payload) => {
      if (client === current) options.onMessage(topic, payload)
    })
    current.on('error', (error) => (reason = error.message))
    current.on('close', () => {
      if (client !== current) return
      forget(current)
      if (away || stopped) return
      options.onFailure(reason)
      schedule.at(clock() + backoff(failures++, random), attempt)
    })
  }

  return {
    send(message) {
      outbox.push(message)
      flush()
    },
    open() {
      away = false
      attempt()
    },
    drop() {
      away = true
      if (client) forget(client)
    },
    async stop() {
      stopped = true
      const current = client
      if (current?.connected && outbox.flying + outbox.waiting > 0)
        await new Promise<void>((resolve) => {
          const timer = setTimeout(resolve, grace)
          emptied = () => {
            clearTimeout(timer)
            resolve()
          }
        })
      if (!current || client !== current) return
      client = undefined
      await new Promise<void>((resolve) => {
        const timer = setTimeout(() => {
          current.stream.destroy()
          resolve()
        }, grace)
        current.end(!current.connected, () => {
          clearTimeout(timer)
          resolve()
        })
      })
    },
    get connected() {
      return client?.connected === true
    },
  }
}
