import net from 'node:net'
import type { Socket } from 'node:net'
import tls from 'node:tls'
import { setTimeout as sleep } from 'node:timers/promises'
import type { IClientOptions } from 'mqtt'
import { MqttClient } from 'mqtt'
import { generate, parser } from 'mqtt-packet'
import { upChannels } from '@caretaker/contract/mqtt/topics.ts'
import type { Intake } from './intake.ts'
import { wrapSocket } from './wrapped-socket.ts'

/** The maximum number of unacknowledged messages per session. */
const receiveMaximum = 5000
/** How long the broker keeps a session without a connection, in seconds. */
const sessionKept = 86_400
const topics = upChannels.map((channel) => `$share/caretaker/devices/+/${channel}`)
/** An unsubscribed session that has received nothing for this time is empty, in ms. */
const quiet = 1000
const sessionTakenOver = 0x8e

/** A session on an external MQTT 5 broker. A message is acknowledged once it is stored. */
export interface BrokerSession {
  /** Whether the broker is connected and has accepted the subscriptions, if there are any. */
  readonly connected: boolean
  /**
   * The result of the first attempt to connect: undefined, or the error. The session keeps trying until it is ended.
   */
  readonly begun: Promise<Error | undefined>
  publish(topic: string, payload: string): Promise<void>
  /** Unsubscribes; resolves when all messages that the broker kept for the session are stored. */
  empty(): Promise<void>
  /** Stops accepting messages. Later ones are not acknowledged, so the broker keeps them. */
  refuse(): void
  /** Ends the connection; with `hard`, immediately and without flushing. */
  end(hard?: boolean): Promise<void>
}

interface Options {
  url: string
  number: number
  /** Whether the session subscribes to device messages on each connection. */
  takesShare: boolean
  intake: Intake
  onConnected?(): void
  /** Called when an attempt to connect failed or the connection was lost. */
  onAway?(error: Error): void
  /** Called when another process has connected with this session's number. */
  onTakenOver?(): void
}

/**
 * Opens a session, receives the messages that the broker has kept for it, and reconnects every second if the
 * connection is lost.
 */
export function openSession(options: Options): BrokerSession {
  const { url, number, takesShare, intake, onConnected, onAway, onTakenOver } = options
  const address = new URL(url)
  const counts = { received: 0, open: 0 }
  const begun = Promise.withResolvers<Error | undefined>()
  let refusing = false
  let wantsShare = takesShare
  let isConnected = false
  let isEnded = false
  /** Why the next connection to close is closed. */
  let failure: Error | undefined

  const stream = () =>
    takePublishes(dial(address), intake, (message, acknowledge) => {
      if (refusing) return
      counts.received++
      counts.open++
      intake.take(message, () => {
        counts.open--
        acknowledge()
      })
    })
  const client = new MqttClient(stream, optionsOf(address, number))
  /** Runs after each connection: a restarted broker may have lost the session. */
  const begin = async () => {
    try {
      if (wantsShare) await client.subscribeAsync(topics, { qos: 1 })
    } catch (error) {
      if (!client.connected) return
      failure = error as Error
      return void client.stream.destroy()
    }
    isConnected = true
    onConnected?.()
    begun.resolve(undefined)
  }
  client.on('connect', () => void begin())
  client.on('error', (error) => (failure = error))
  client.on('close', () => {
    isConnected = false
    const reason = failure ?? new Error('the connection was closed')
    failure = undefined
    begun.resolve(reason)
    if (!isEnded) onAway?.(reason)
  })
  client.on('disconnect', ({ reasonCode }) => {
    if (reasonCode !== sessionTakenOver) return
    client.end(true)
    onTakenOver?.()
  })

  return {
    get connected() {
      return isConnected && client.connected
    },
    begun: begun.promise,
    publish: async (to, payload) => void (await client.publishAsync(to, payload, { qos: 1 })),
    empty: async () => {
      wantsShare = false
      const closed = new Promise<never>((_, reject) =>
        client.once('close', () => reject(new Error('the connection was closed'))),
      )
      closed.catch(() => {})
      for (let before = -1; before !== counts.received || counts.open; await sleep(quiet)) {
        before = counts.received
        // The reply arrives after everything that the broker had sent before.
        await Promise.race([closed, client.unsubscribeAsync(topics)])
      }
    },
    refuse: () => (refusing = true),
    end: async (hard = false) => {
      isEnded = true
      const late = setTimeout(() => client.stream.destroy(), 2000)
      await client.endAsync(hard || !client.connected)
      clearTimeout(late)
    },
  }
}

/** Reason codes (MQTT 5) and return codes (3.1.1) for rejected credentials. */
const userRefused = [4, 5, 0x86, 0x87, 0x8c]

/** Whether the broker rejected the credentials: retrying does not help until a setting is changed. */
export const isUserRefused = (error: Error): boolean => userRefused.includes(Number((error as { code?: unknown }).code))

function optionsOf({ username, password }: URL, number: number): IClientOptions {
  return {
    protocolVersion: 5,
    clientId: `caretaker-${number}`,
    username: username ? decodeURIComponent(username) : undefined,
    password: password ? decodeURIComponent(password) : undefined,
    clean: false,
    resubscribe: false,
    reconnectPeriod: 1000,
    // A broker that has just started may briefly reject everyone.
    reconnectOnConnackError: true,
    connectTimeout: 10_000,
    properties: { sessionExpiryInterval: sessionKept, receiveMaximum },
  }
}

function dial({ protocol, hostname, port }: URL): Socket {
  const host = hostname.replace(/^\[|\]$/g, '')
  if (protocol === 'mqtt:') return net.connect({ host, port: Number(port || 1883), noDelay: true })
  return tls.connect({ host, port: Number(port || 8883), servername: net.isIP(host) ? undefined : host })
}

type Take = (message: { topic: string; payload: Buffer }, acknowledge: () => void) => void

/**
 * Takes device messages out of the stream that the client reads. The client would emit each message only after the
 * one before is acknowledged, which limits it to about fifty a second.
 */
function takePublishes(socket: Socket, intake: Intake, take: Take) {
  const version5 = { protocolVersion: 5 }
  const fromBroker = parser(version5)
  const forClient: Buffer[] = []
  fromBroker.on('error', (error: Error) => {
    throw error
  })
  fromBroker.on('packet', (packet) => {
    if (packet.cmd !== 'publish') return void forClient.push(generate(packet, version5))
    const { topic, payload, messageId } = packet
    take({ topic, payload: payload as Buffer }, () => {
      // Packet identifiers are valid for one connection only; the broker sends the message again on the next one.
      if (messageId !== undefined && !stream.destroyed)
        stream.write(generate({ cmd: 'puback', messageId, reasonCode: 0 }, version5))
    })
  })
  const { stream, readOn } = wrapSocket(socket, {
    incoming: (bytes) => {
      fromBroker.parse(bytes)
      return Buffer.concat(forClient.splice(0))
    },
    mayRead: () => intake.hasRoom(readOn),
  })
  return stream
}
