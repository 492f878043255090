import { parseTopic, upChannels } from '@caretaker/contract/mqtt/topics.ts'
import { isSameSecret } from '../same-secret.ts'
import type { DeviceRoute, Routes } from './routes.ts'
import { isGatewayOf, mayPublishFor, mayReceiveFor } from './routes.ts'
import { deviceIdShape, signIn } from './sign-in.ts'
import { deviceOfFilter, maySubscribe } from './subscriptions.ts'

/**
 * What clients of an external broker may do, by the rules of the embedded one. The user of MQTT_URL, with which ingest
 * connects, is known as well. Rejects if the database is unreachable.
 */
export interface Permissions {
  connect(client: { username: string; password: string; clientId: string }): Promise<boolean>
  publish(username: string, topic: string): Promise<boolean>
  subscribe(username: string, filter: string): Promise<boolean>
  /** Whether a message on this topic may be delivered to the client. */
  receive(username: string, topic: string): Promise<boolean>
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
  /** The route of a device that can be connected: it has a key of its own, and is not refused. */
  const connected = async (username: string): Promise<DeviceRoute | undefined> => {
    const route = deviceIdShape.test(username) ? await routeOf(username) : undefined
    return route?.keyHash && !route.refusal ? route : undefined
  }
  return {
    connect: async ({ username, password, clientId }) => {
      if (isIngest(username)) return isSameSecret(password, ingest!.password)
      if (!isOwnClientId(username, clientId)) return false
      const route = await signIn(routes, username, Buffer.from(password))
      return route !== undefined && !route.refusal
    },
    publish: async (username, topic) => {
      const found = parseTopic(topic)
      if (!found) return false
      if (isIngest(username)) return found.channel === 'commands'
      const own = await connected(username)
      const route = await routeOf(found.deviceId)
      if (!own || !route) return false
      return found.channel === 'commands' ? isGatewayOf(own, route) : !route.refusal && mayPublishFor(own, route)
    },
    subscribe: async (username, filter) => {
      if (isIngest(username)) return ingestFilters.has(filter.replace(shared, ''))
      const deviceId = deviceOfFilter(filter)
      if (!deviceId) return false
      const own = await connected(username)
      return own ? maySubscribe(routes, own, deviceId) : false
    },
    receive: async (username, topic) => {
      const found = parseTopic(topic)
      if (!found) return false
      if (isIngest(username)) return found.channel !== 'commands'
      if (found.channel !== 'commands') return false
      const own = await connected(username)
      const route = await routeOf(found.deviceId)
      return !!own && !!route && mayReceiveFor(own, route)
    },
  }
}

/** The embedded broker ignores client ids. An external one ends the connection of another client with the same id. */
const isOwnClientId = (deviceId: string, clientId: string) =>
  clientId === deviceId || !(deviceIdShape.test(clientId) || ingestClient.test(clientId))
