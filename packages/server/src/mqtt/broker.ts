import { createHash, timingSafeEqual } from 'node:crypto'
import { once } from 'node:events'
import net from 'node:net'
import type { Duplex } from 'node:stream'
import type { Client, PublishPacket } from 'aedes'
import { Aedes } from 'aedes'
import type { FastifyBaseLogger } from 'fastify'
import { parseTopic, topic } from '@caretaker/contract/mqtt/topics.ts'
import { SettingError } from '../config.ts'
import type { Gate } from './frames.ts'
import { putGate } from './frames.ts'
import type { Intake } from './intake.ts'
import { maySpeakFor } from './intake.ts'
import type { LinkMetrics } from './metrics.ts'
import type { DeviceRoute } from './routes.ts'
import type { LinkEvent } from './store.ts'
import { asVersion4, versionOf } from './version5.ts'

export interface Broker {
  port: number
  /** Devices that listen to their commands here, over their own connection or their parent's. */
  listening(): string[]
  isListening(deviceId: string): boolean
  /** Resolves when it is on its way; whether it arrived is known by the answer alone. */
  send(deviceId: string, payload: string): Promise<void>
  /** Takes nothing more, neither connections nor messages. */
  refuse(): void
  /** Ends all connections. */
  stop(): Promise<void>
}

export interface BrokerOptions {
  port: number
  host: string
  intake: Intake
  metrics: LinkMetrics
  log: FastifyBaseLogger
  /** A device has begun to listen to its commands. */
  onListening(deviceIds: string[]): void
}

/** A client from its connection to its end. */
interface Visitor {
  client: Client
  gate: Gate
  /** Bytes of messages taken from it and not yet done. */
  inHand: number
  willTopic?: string
  /** Once it has signed in. */
  route?: DeviceRoute
  topics: Set<string>
}

const mostConnections = 20_000
/** Bytes of messages that one client may have in the works; each counts for at least `leastBytes`. */
const mostInHand = 65_536
const leastBytes = 256
/** How long a connection may take to sign in, in ms. */
const greetingTime = 10_000
/** How often the keys of connected devices are looked at again, in ms: a revoked one is out after that. */
const recheckEvery = 2000

/** The broker that is part of the server: MQTT 3.1.1 and 5, each device below its own id, nothing kept in memory. */
export async function startBroker(options: BrokerOptions): Promise<Broker> {
  const { intake, metrics, log, onListening } = options
  const visitors = new Set<Visitor>()
  // Not by the set: a last will is published when the visit is over.
  const visitorOf = new WeakMap<Client, Visitor>()
  const connected = new Map<string, Visitor>()
  const listeners = new Map<string, number>()
  let closing = false

  const broker = await Aedes.createBroker({
    concurrency: 2000,
    connectTimeout: greetingTime,
    maxTopicLevels: 10,
    maxClientsIdLength: 36,
    heartbeatInterval: 60_000,

    preConnect: (client, packet, done) => {
      const visitor = visitorOf.get(client)!
      visitor.willTopic = packet.will?.topic
      // A device has one connection, whatever name its client chose. Its session lives in the database, not in this broker.
      Object.assign(packet, { clientId: packet.username ?? '', clean: true })
      done(null, true)
    },

    authenticate: (client, username, password, done) => {
      const refuse = (returnCode: number) => {
        metrics.refused.inc()
        done(Object.assign(new Error('refused'), { returnCode }), null)
      }
      void signIn(intake, username, password).then(
        (route) => {
          const visitor = visitorOf.get(client)!
          if (!route || !isOwn(route.deviceId, visitor.willTopic)) return refuse(notAuthorised)
          visitor.route = route
          done(null, true)
        },
        () => refuse(unavailable),
      )
    },

    // The acknowledgement leaves when this is called back, so that is after the commit.
    authorizePublish: (client, packet, done) => {
      const visitor = client && visitorOf.get(client)
      if (!visitor?.route) return done(client ? new Error('not signed in') : null)
      const { payload } = packet
      const bytes = Math.max(leastBytes, payload.length)
      visitor.inHand += bytes
      if (visitor.inHand > mostInHand) visitor.gate.close()
      intake.take({ topic: packet.topic, payload: payload as Buffer, speaker: visitor.route }, () => {
        // Until its sender releases it, a message of QoS 2 stays in memory: without what it said, which is stored.
        packet.payload = nothing
        const full = visitor.inHand > mostInHand
        visitor.inHand -= bytes
        if (full && visitor.inHand <= mostInHand && !closing) visitor.gate.open()
        done(null)
      })
    },

    authorizeSubscribe: (client, subscription, done) => {
      const route = visitorOf.get(client)?.route
      const deviceId = subscribed(subscription.topic)
      if (!route || !deviceId) return done(null, null)
      void mayListen(intake, route, deviceId).then(
        (allowed) => done(null, allowed ? subscription : null),
        () => done(null, null),
      )
    },

    // Who was a device's parent when it subscribed may be so no longer.
    authorizeForward: (client, packet) => {
      const own = visitorOf.get(client)?.route
      const found = parseTopic(packet.topic)
      const route = found && intake.routes.known(found.deviceId)
      return own && route && maySpeakFor(own, route) ? packet : null
    },
  })

  // What devices say goes to the database and to nobody else, and is neither retained nor queued here.
  const publish = broker.publish.bind(broker)
  broker.publish = (packet: PublishPacket, from: Client | (() => void), done?: (error: null) => void) =>
    typeof from === 'function' ? publish(packet, from) : done?.(null)

  const hear = (visitor: Visitor, topic: string): string | undefined => {
    const deviceId = subscribed(topic)
    if (!deviceId || visitor.topics.has(topic)) return undefined
    visitor.topics.add(topic)
    listeners.set(deviceId, (listeners.get(deviceId) ?? 0) + 1)
    return deviceId
  }
  const unhear = (visitor: Visitor, topic: string) => {
    const deviceId = subscribed(topic)
    if (!deviceId || !visitor.topics.delete(topic)) return
    const left = listeners.get(deviceId)! - 1
    if (left) listeners.set(deviceId, left)
    else listeners.delete(deviceId)
  }

  const leave = (visitor: Visitor, event: LinkEvent) => {
    const { route } = visitor
    if (!route || connected.get(route.deviceId) !== visitor) return
    connected.delete(route.deviceId)
    metrics.connections.set(connected.size)
    for (const topic of visitor.topics) unhear(visitor, topic)
    intake.link(route, event)
  }

  broker.on('client', (client) => {
    const visitor = visitorOf.get(client)!
    const route = visitor.route!
    const before = connected.get(route.deviceId)
    // Taken over by a new connection before its end was noticed: the old one has dropped.
    if (before) leave(before, 'dropped')
    connected.set(route.deviceId, visitor)
    metrics.connections.set(connected.size)
    intake.link(route, 'connected')
  })
  broker.on('subscribe', (subscriptions, client) => {
    const visitor = visitorOf.get(client)!
    const granted = subscriptions.filter((subscription) => (subscription.qos as number) !== denied)
    const deviceIds = granted.flatMap(({ topic }) => hear(visitor, topic) ?? [])
    if (deviceIds.length) onListening(deviceIds)
  })
  broker.on('unsubscribe', (topics, client) => {
    for (const topic of topics) unhear(visitorOf.get(client)!, topic)
  })
  broker.on('connectionError', () => {})
  broker.on('clientError', (client, error) =>
    log.debug({ device: client.id, reason: error.message }, 'connection ended'),
  )

  const tooLong = () => metrics.bad.inc({ reason: 'too large' })
  const welcome = (stream: Duplex) => {
    const gate = putGate(stream, tooLong)
    const client = broker.handle(stream)
    const visitor: Visitor = { client, gate, inHand: 0, topics: new Set() }
    visitors.add(visitor)
    visitorOf.set(client, visitor)
    stream.once('close', () => {
      visitors.delete(visitor)
      leave(visitor, closing ? 'cut' : gate.goodbye ? 'left' : 'dropped')
    })
  }
  const sockets = new Set<net.Socket>()
  const server = net.createServer({ highWaterMark: 16_384, noDelay: true, keepAlive: true }, (socket) => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
    greet(socket, (version) => welcome(version === 5 ? asVersion4(socket, tooLong) : socket))
  })
  server.maxConnections = mostConnections
  const port = await listen(server, options).catch((error: unknown) => {
    broker.close()
    throw error
  })

  const recheck = setInterval(() => void look().catch(() => {}), recheckEvery)
  /** Ends the connections of devices that are gone, or whose key is another one by now. */
  const look = async () => {
    await intake.routes.refresh([...connected.keys()])
    for (const visitor of connected.values()) {
      const before = visitor.route!
      const now = intake.routes.known(before.deviceId)
      if (now === undefined) continue
      if (!now?.keyHash?.equals(before.keyHash!)) visitor.client.close()
      else visitor.route = now
      if (now && now.tenant !== before.tenant) intake.link(now, 'connected')
    }
  }

  return {
    port,
    listening: () => [...listeners.keys()],
    isListening: (deviceId) => listeners.has(deviceId),
    send: async (deviceId, payload) => {
      await intake.routes.find(deviceId)
      const packet = {
        cmd: 'publish',
        topic: topic(deviceId, 'commands'),
        payload,
        qos: 1,
        retain: false,
        dup: false,
      } as const
      // Not waited for: one client that does not read must not hold up the others.
      publish(packet, () => {})
    },
    refuse: () => {
      closing = true
      clearInterval(recheck)
      server.close()
      for (const { gate } of visitors) gate.close()
    },
    stop: async () => {
      const closed = server.listening ? once(server, 'close') : undefined
      await new Promise<void>((resolve) => broker.close(resolve))
      for (const socket of sockets) socket.destroy()
      await closed
    },
  }
}

/** Return codes of MQTT 3.1.1. */
const unavailable = 3
const notAuthorised = 5
const denied = 128

const deviceIdShape = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/
const hashOf = (key: Buffer) => createHash('sha256').update(key).digest()
const nothing = Buffer.alloc(0)
const nobody = hashOf(nothing)

/** The route of the device whose key this is. A wrong key and an unknown device take the same way. */
async function signIn(intake: Intake, username = '', key: Buffer = nothing): Promise<DeviceRoute | undefined> {
  if (!deviceIdShape.test(username)) return undefined
  const route = await intake.routes.find(username)
  const right = timingSafeEqual(hashOf(key), route?.keyHash?.length === nobody.length ? route.keyHash : nobody)
  return right && route?.keyHash && key.length ? route : undefined
}

/** A last will may speak for the device itself only. */
function isOwn(deviceId: string, willTopic: string | undefined): boolean {
  if (willTopic === undefined) return true
  const found = parseTopic(willTopic)
  return found?.deviceId === deviceId && found.channel !== 'commands'
}

const filters = ['commands', '+', '#']

/** The device whose commands a filter asks for; undefined when it asks for anything else. */
function subscribed(filter: string): string | undefined {
  const [root, deviceId, last, ...more] = filter.split('/')
  if (root !== 'devices' || more.length || !deviceIdShape.test(deviceId ?? '')) return undefined
  return filters.includes(last ?? '') ? deviceId : undefined
}

async function mayListen({ routes }: Intake, own: DeviceRoute, deviceId: string): Promise<boolean> {
  const route = routes.known(deviceId) ?? (await routes.find(deviceId))
  return !!route && maySpeakFor(own, route)
}

/** Calls back with the protocol version of a client's first packet, once enough of it is there to tell. */
function greet(socket: net.Socket, done: (version: number) => void): void {
  const late = setTimeout(() => socket.destroy(), greetingTime)
  let heard = Buffer.alloc(0)
  const stop = () => {
    clearTimeout(late)
    socket.off('readable', look)
    socket.off('error', stop)
  }
  const look = () => {
    const bytes = socket.read() as Buffer | null
    if (!bytes) return
    heard = Buffer.concat([heard, bytes])
    const version = versionOf(heard)
    if (version === undefined) return
    stop()
    socket.off('close', stop)
    socket.unshift(heard)
    done(version)
  }
  socket.on('readable', look)
  socket.on('error', stop)
  socket.once('close', stop)
}

async function listen(server: net.Server, { port, host }: BrokerOptions): Promise<number> {
  server.listen(port, host)
  try {
    await once(server, 'listening')
  } catch (error) {
    const { code } = error as { code?: string }
    if (code === 'EADDRINUSE')
      throw new SettingError(`Port ${port} is in use. Set MQTT_PORT to a free one, or stop what uses it.`)
    if (code === 'EACCES')
      throw new SettingError(`Port ${port} may not be used by this user. Set MQTT_PORT to one above 1023.`)
    throw error
  }
  return (server.address() as net.AddressInfo).port
}
