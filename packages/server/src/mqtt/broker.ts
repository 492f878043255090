import { once } from 'node:events'
import net from 'node:net'
import type { AedesOptions, Client, PublishPacket } from 'aedes'
import { Aedes } from 'aedes'
import type { FastifyBaseLogger } from 'fastify'
import type { Parser } from 'mqtt-packet'
import { parseTopic, topic } from '@caretaker/contract/mqtt/topics.ts'
import { listenAt } from '../ports.ts'
import { openCertificate } from './certificate.ts'
import { openClientStream } from './client-stream.ts'
import type { Connection } from './connections.ts'
import { openConnections } from './connections.ts'
import { awaitConnect, limitWaiting } from './waiting-connections.ts'
import type { Intake } from './intake.ts'
import type { Limits } from './limits.ts'
import { openPace } from './limits.ts'
import type { LinkMetrics } from './metrics.ts'
import type { DeviceRoute } from './routes.ts'
import { isGatewayOf, mayReceiveFor } from './routes.ts'
import { isOwnWill, signIn } from './sign-in.ts'
import type { BadText } from './strict-text.ts'
import { refuseBadTexts } from './strict-text.ts'
import { deviceOfFilter, maySubscribe, openSubscriptions } from './subscriptions.ts'

export interface Broker {
  port: number
  /** Devices that are subscribed to their commands here, over their own connection or their gateway's. */
  listening(): string[]
  isListening(deviceId: string): boolean
  /** Resolves when the command is sent; only the reply shows whether it arrived. */
  send(deviceId: string, payload: string): Promise<void>
  /** Disconnects those of these devices that may no longer connect. */
  recheck(deviceIds: readonly string[]): Promise<void>
  /** Stops accepting connections and messages. */
  refuse(): void
  /** Ends all connections. */
  stop(): Promise<void>
}

export interface BrokerOptions {
  port: number
  host: string
  /** The certificate and key files; without them connections are not encrypted. */
  tls?: { cert: string; key: string } | undefined
  /** The maximum number of connections from one address that have not signed in yet. */
  waitingPerAddress: number
  /** Limits per device. */
  limits: Limits
  /** How long a client may take to sign in, in ms. */
  connectWithin?: number
  intake: Intake
  metrics: LinkMetrics
  log: FastifyBaseLogger
  /** Called when devices have subscribed to their commands. */
  onListening(deviceIds: string[]): void
}

const mostConnections = 20_000
/** Maximum bytes of unprocessed messages per client; each message counts as at least `leastBytes`. */
const mostUnprocessed = 65_536
const leastBytes = 256
/** How often the keys of all connected devices are checked again, in ms, in case a notification was lost. */
const recheckEvery = 2000

/** The embedded broker: MQTT 3.1.1 and 5; each device is limited to its own topics; no state is kept in memory. */
export async function startBroker(options: BrokerOptions): Promise<Broker> {
  const { intake, metrics, log, onListening, host, port, limits, connectWithin = 5000 } = options
  const waiting = limitWaiting(options.waitingPerAddress)
  const certificate = options.tls && openCertificate(options.tls, log)
  // Kept as long as the client: a last will is published after the connection has ended.
  const connectionOf = new WeakMap<Client, Connection>()
  const subscriptions = openSubscriptions()
  const connections = openConnections(intake, subscriptions, metrics)
  /** Messages from gateways to their children that are being forwarded. */
  const passedOn = new WeakSet<object>()
  let closing = false

  const broker = await Aedes.createBroker({
    concurrency: 2000,
    connectTimeout: connectWithin,
    maxTopicLevels: 10,
    maxClientsIdLength: 36,
    heartbeatInterval: 60_000,
    ...permissions(options, connectionOf, passedOn),
  })
  // Device messages go to the database only; the broker neither retains nor queues them.
  const publish = broker.publish.bind(broker)
  broker.publish = (packet: PublishPacket, from: Client | (() => void), done?: (error: null) => void) => {
    if (typeof from === 'function') return publish(packet, from)
    const isPassedOn = parseTopic(packet.topic)?.channel === 'commands' && passedOn.delete(packet)
    if (isPassedOn) publish({ ...packet, retain: false }, () => {})
    done?.(null)
  }

  broker.on('client', (client) => {
    const connection = connectionOf.get(client)!
    connection.place.leave()
    connections.enter(connection)
  })
  broker.on('subscribe', (wanted, client) => {
    const { filters } = connectionOf.get(client)!
    const granted = wanted.filter((subscription) => (subscription.qos as number) !== denied)
    const deviceIds = granted.flatMap(({ topic }) => subscriptions.add(filters, topic) ?? [])
    if (deviceIds.length) onListening(deviceIds)
  })
  broker.on('unsubscribe', (topics, client) => {
    for (const topic of topics) subscriptions.remove(connectionOf.get(client)!.filters, topic)
  })
  broker.on('connectionError', () => {})
  broker.on('clientError', (client, error) =>
    log.debug({ device: client.id, reason: error.message }, 'connection ended'),
  )

  const sockets = new Set<net.Socket>()
  const server = net.createServer({ highWaterMark: 16_384, noDelay: true, keepAlive: true }, (raw) => {
    const place = waiting.enter(raw.remoteAddress ?? '')
    if (!place) {
      metrics.crowded.inc()
      raw.destroy()
      return
    }
    sockets.add(raw)
    const late = setTimeout(() => raw.destroy(), connectWithin)
    raw.once('close', () => {
      clearTimeout(late)
      sockets.delete(raw)
      place.leave()
    })
    const socket = certificate?.secure(raw) ?? raw
    socket.on('error', () => raw.destroy())
    awaitConnect(socket, () => {
      clearTimeout(late)
      begin(socket, place)
    })
  })
  const begin = (socket: net.Socket, place: Connection['place']) => {
    const mayRead = () => {
      if (closing || connection.inHand > mostUnprocessed || isAhead(connection)) return false
      connection.held = !intake.hasRoom(readOn)
      return !connection.held
    }
    const onTooLong = () => metrics.bad.inc({ reason: 'too large' })
    const onBadText = (reason: BadText) => metrics.malformed.inc({ reason })
    const clientStream = openClientStream(socket, { mayRead, onTooLong, onBadText })
    const { readOn } = clientStream
    const client = broker.handle(clientStream.stream)
    // Parses what a 3.1.1 client sends after CONNECT.
    refuseBadTexts((client as unknown as { _parser: Parser })._parser, onBadText)
    const pace = openPace(limits)
    const connection: Connection = { client, readOn, inHand: 0, held: false, place, pace, filters: new Set() }
    connectionOf.set(client, connection)
    socket.once('close', () => {
      clearTimeout(connection.later)
      const isCut = closing || connection.held || connection.isEnded
      connections.leave(connection, isCut ? 'cut' : clientStream.goodbye ? 'left' : 'dropped')
    })
  }
  /** Whether the client exceeds its rate; further data is read later. */
  const isAhead = (connection: Connection) => {
    const pause = connection.pace.pause(performance.now())
    if (pause <= 0) return false
    if (!connection.later) metrics.slowed.inc()
    connection.later ??= setTimeout(() => {
      connection.later = undefined
      connection.readOn()
    }, pause)
    return true
  }
  server.maxConnections = mostConnections
  try {
    await listenAt({ host, port, setting: 'MQTT_PORT' }, () => once(server.listen(port, host), 'listening'))
  } catch (error) {
    certificate?.stop()
    broker.close()
    throw error
  }
  const recheck = setInterval(() => void connections.recheck().catch(() => {}), recheckEvery)

  return {
    port: (server.address() as net.AddressInfo).port,
    listening: subscriptions.deviceIds,
    isListening: subscriptions.has,
    send: async (deviceId, payload) => {
      await intake.routes.find(deviceId)
      const to = topic(deviceId, 'commands')
      // Not awaited: a client that does not read must not delay the others.
      publish({ cmd: 'publish', topic: to, payload, qos: 1, retain: false, dup: false }, () => {})
    },
    recheck: connections.recheck,
    refuse: () => {
      closing = true
      clearInterval(recheck)
      certificate?.stop()
      server.close()
    },
    stop: async () => {
      const ended = [...sockets].map((socket) => new Promise<void>((resolve) => socket.once('close', () => resolve())))
      await new Promise<void>((resolve) => broker.close(resolve))
      for (const socket of sockets) socket.destroy()
      // All connection changes have been recorded when this resolves.
      await Promise.all(ended)
    },
  }
}

/** Return codes of MQTT 3.1.1. */
const unavailable = 3
const notAuthorised = 5
const denied = 128
const nothing = Buffer.alloc(0)

/** Who may connect, publish and subscribe. */
function permissions(
  { intake, metrics }: BrokerOptions,
  connectionOf: WeakMap<Client, Connection>,
  passedOn: WeakSet<object>,
): AedesOptions {
  const { routes } = intake
  /** Whether a device publishes to the commands topic of one of its children, as other brokers allow. */
  const isToChild = (name: string, own: DeviceRoute) => {
    const found = parseTopic(name)
    const route = found?.channel === 'commands' ? routes.known(found.deviceId) : undefined
    return !!route && isGatewayOf(own, route)
  }
  return {
    preConnect: (client, packet, done) => {
      connectionOf.get(client)!.willTopic = packet.will?.topic
      // A device has one connection, whatever client identifier it uses. Its session is in the database, not in this
      // broker.
      Object.assign(packet, { clientId: packet.username ?? '', clean: true })
      done(null, true)
    },

    authenticate: (client, username, password, done) => {
      const refuse = (returnCode: number) => {
        metrics.refused.inc()
        done(Object.assign(new Error('refused'), { returnCode }), null)
      }
      void signIn(routes, username, password).then(
        (route) => {
          const connection = connectionOf.get(client)!
          if (!route || route.refusal || !isOwnWill(route.deviceId, connection.willTopic)) return refuse(notAuthorised)
          connection.route = route
          done(null, true)
        },
        () => refuse(unavailable),
      )
    },

    // The acknowledgement is sent after this callback, which is called after the commit.
    authorizePublish: (client, packet, done) => {
      const connection = client && connectionOf.get(client)
      if (!connection?.route || connection.isEnded) return done(client ? new Error('not signed in') : null)
      const { payload } = packet
      const bytes = Math.max(leastBytes, payload.length)
      connection.inHand += bytes
      connection.pace.count(payload.length)
      if (isToChild(packet.topic, connection.route)) {
        passedOn.add(packet)
        connection.inHand -= bytes
        return done(null)
      }
      intake.take({ topic: packet.topic, payload: payload as Buffer, sender: connection.route }, () => {
        // A QoS 2 message stays in memory until its sender releases it; its payload is already stored.
        packet.payload = nothing
        const full = connection.inHand > mostUnprocessed
        connection.inHand -= bytes
        if (full && connection.inHand <= mostUnprocessed) connection.readOn()
        done(null)
      })
    },

    authorizeSubscribe: (client, subscription, done) => {
      const route = connectionOf.get(client)?.route
      const deviceId = deviceOfFilter(subscription.topic)
      if (!route || !deviceId) return done(null, null)
      void maySubscribe(routes, route, deviceId).then(
        (allowed) => done(null, allowed ? subscription : null),
        () => done(null, null),
      )
    },

    // Since it subscribed, the device may have a new gateway, or its key may have been revoked.
    authorizeForward: (client, packet) => {
      const own = connectionOf.get(client)?.route
      const found = parseTopic(packet.topic)
      const route = found && routes.known(found.deviceId)
      return own && route && mayReceiveFor(own, route) ? packet : null
    },
  }
}
