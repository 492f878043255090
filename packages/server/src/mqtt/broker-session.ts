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

/** Messages that the broker may have on their way to one session at once. */
const receiveMaximum = 5000
/** How long the broker keeps a session while nobody is connected to it, in seconds. */
const sessionKept = 86_400
const topics = upChannels.map((channel) => `$share/caretaker/devices/+/${channel}`)
/** A session that got nothing for so long after it was unsubscribed is empty, in ms. */
const quiet = 1000
const sessionTakenOver = 0x8e

/** A session that an external MQTT 5 broker keeps: what it gives is acknowledged once it is stored. */
export interface BrokerSession {
  /** Whether the broker answers, and has accepted the subscriptions of a session that wants some. */
  readonly connected: boolean
  /** How the first attempt to connect ended: undefined, or why it failed. A session goes on trying until its end. */
  readonly begun: Promise<Error | undefined>
  publish(topic: string, payload: string): Promise<void>
  /** Takes no share any more; resolves when all that the broker kept for the session is stored. */
  empty(): Promise<void>
  /** Takes nothing more: what arrives from now on is not acknowledged, so the broker keeps it. */
  refuse(): void
  /** Ends the connection; `hard` at once, without what is still to be written. */
  end(hard?: boolean): Promise<void>
}

interface Options {
  url: string
  number: number
  /** Whether it takes a share of what devices say, from its first connection on and after each further one. */
  takesShare: boolean
  intake: Intake
  onConnected?(): void
  /** An attempt to connect failed, or the connection was lost. */
  onAway?(error: Error): void
  /** Another process has connected with this session's number. */
  onTakenOver?(): void
}

/** Opens a session, with all that the broker has kept for it, and keeps it open: a broker that is away is tried again every second. */
export function openSession(options: Options): BrokerSession {
  const { url, number, takesShare, intake, onConnected, onAway, onTakenOver } = options
  const address = new URL(url)
  const counts = { received: 0, open: 0 }
  const begun = Promise.withResolvers<Error | undefined>()
  let refusing = false
  let wantsShare = takesShare
  let isConnected = false
  let isEnded = false
  /** Why the connection ends that is closed next. */
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
  /** After each connection: a broker that was started again may have forgotten the session. */
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
        // Answered after what the broker had sent before it.
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

/** Reason codes of MQTT 5, and return codes of 3.1.1, by which a broker refuses the user and not the moment. */
const userRefused = [4, 5, 0x86, 0x87, 0x8c]

/** Whether a broker answered and does not accept the user: trying again would not help before a setting is changed. */
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
    // A broker that has just started may refuse everybody for a moment.
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
 * What the client reads of the broker and writes to it, but for the messages of devices: these are taken out. The client
 * would hand out the next only when it has acknowledged the one before, which is about fifty a second.
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
      // A number of a connection that is gone means nothing on the next one: the broker sends the message again.
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
