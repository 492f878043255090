import { parseTopic, upChannels } from '@caretaker/contract/mqtt/topics.ts'
import { isSameSecret } from '../same-secret.ts'
import type { DeviceRoute, Routes } from './routes.ts'
import { isGatewayOf, mayPublishFor, mayReceiveFor } from './routes.ts'
import { deviceIdShape, signIn } from './sign-in.ts'
import { deviceOfFilter, maySubscribe } from './subscriptions.ts'

/** A client of a broker, as its calls name it; the client id is empty if the broker does not send it. */
export interface BrokerClient {
  username: string
  clientId: string
}

/**
 * What clients of an external broker may do, according to the embedded broker's rules. The user of MQTT_URL, with which
 * ingest connects, is known as well. Rejects if the database is unreachable.
 */
export interface Permissions {
  connect(client: BrokerClient & { password: string }): Promise<boolean>
  publish(client: BrokerClient, topic: string): Promise<boolean>
  subscribe(client: BrokerClient, filter: string): Promise<boolean>
  /** Whether a message on this topic may be delivered to the client. */
  receive(client: BrokerClient, topic: string): Promise<boolean>
}

/** Client ids of ingest processes: a device that used one would end their connection. */
const ingestClient = /^caretaker-/
const shared = /^\$share\/[^/]+\//
const ingestFilters = new Set(upChannels.map((channel) => `devices/+/${channel}`))

/** The user name and password of MQTT_URL. */
interface IngestUser {
  username: string
  password: string
}

export function ingestUserOf(mqttUrl: string | undefined): IngestUser | undefined {
  if (!mqttUrl) return undefined
  const { username, password } = new URL(mqttUrl)
  return username ? { username: decodeURIComponent(username), password: decodeURIComponent(password) } : undefined
}

export function openPermissions(routes: Routes, ingest: IngestUser | undefined): Permissions {
  const routeOf = async (deviceId: string) => {
    const known = routes.known(deviceId)
    return known === undefined ? routes.find(deviceId) : known
  }
  const isIngest = (username: string) => ingest !== undefined && username === ingest.username
  const keys = rememberKeys()
  /**
   * The route of a device that can be connected: it has a key of its own, is not refused, and did not connect with a
   * key that has been replaced since.
   */
  const connected = async (client: BrokerClient): Promise<DeviceRoute | undefined> => {
    const route = deviceIdShape.test(client.username) ? await routeOf(client.username) : undefined
    return route?.keyHash && !route.refusal && !keys.isOther(client, route.keyHash) ? route : undefined
  }
  return {
    connect: async ({ username, password, clientId }) => {
      if (isIngest(username)) return isSameSecret(password, ingest!.password)
      if (!isOwnClientId(username, clientId)) return false
      const route = await signIn(routes, username, Buffer.from(password))
      if (!route || route.refusal) return false
      keys.remember({ username, clientId }, route.keyHash!)
      return true
    },
    publish: async (client, topic) => {
      const found = parseTopic(topic)
      if (!found) return false
      if (isIngest(client.username)) return found.channel === 'commands'
      const own = await connected(client)
      const route = await routeOf(found.deviceId)
      if (!own || !route) return false
      return found.channel === 'commands' ? isGatewayOf(own, route) : !route.refusal && mayPublishFor(own, route)
    },
    subscribe: async (client, filter) => {
      if (isIngest(client.username)) return ingestFilters.has(filter.replace(shared, ''))
      const deviceId = deviceOfFilter(filter)
      if (!deviceId) return false
      const own = await connected(client)
      return own ? maySubscribe(routes, own, deviceId) : false
    },
    receive: async (client, topic) => {
      const found = parseTopic(topic)
      if (!found) return false
      if (isIngest(client.username)) return found.channel !== 'commands'
      if (found.channel !== 'commands') return false
      const own = await connected(client)
      const route = await routeOf(found.deviceId)
      return !!own && !!route && mayReceiveFor(own, route)
    },
  }
}

/** The embedded broker ignores client ids. An external one ends the connection of another client with the same id. */
const isOwnClientId = (deviceId: string, clientId: string) =>
  clientId === deviceId || !(deviceIdShape.test(clientId) || ingestClient.test(clientId))

/** Maximum clients whose keys are remembered. */
const clientsAtMost = 200_000

/** The keys with which clients connected, by their hashes: brokers do not send them again. */
function rememberKeys() {
  const hashes = new Map<string, Buffer>()
  const nameOf = ({ username, clientId }: BrokerClient) => `${username}\n${clientId}`
  return {
    remember: (client: BrokerClient, hash: Buffer) => {
      if (!client.clientId) return
      hashes.delete(nameOf(client))
      hashes.set(nameOf(client), hash)
      if (hashes.size > clientsAtMost) hashes.delete(hashes.keys().next().value!)
    },
    /** Whether the client is known to have connected with another key. */
    isOther: (client: BrokerClient, hash: Buffer) => hashes.get(nameOf(client))?.equals(hash) === false,
  }
}
