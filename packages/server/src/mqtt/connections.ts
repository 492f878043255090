import type { Client } from 'aedes'
import type { Intake } from './intake.ts'
import type { Pace } from './limits.ts'
import type { LinkMetrics } from './metrics.ts'
import type { DeviceRoute } from './routes.ts'
import type { LinkEvent } from './store.ts'
import type { Subscriptions } from './subscriptions.ts'

/** A client, from connection to disconnection. */
export interface Connection {
  client: Client
  /** Called when more may be read from the client. */
  readOn(): void
  /** Bytes of messages that were accepted but are not processed yet. */
  inHand: number
  /** Whether reading is paused for lack of memory. If the connection ends then, the device did not drop it. */
  held: boolean
  willTopic?: string
  /** Its place among the connections that have not signed in. */
  place: { leave(): void }
  /** Set while reading is paused because of the rate limit. */
  later?: NodeJS.Timeout | undefined
  /** The rate limit of the connection. */
  pace: Pace
  /** Set after sign-in. */
  route?: DeviceRoute
  /** Set if the server has ended the connection: no more messages are accepted. */
  isEnded?: true
  /** The topic filters of its subscriptions. */
  filters: Set<string>
}

/** Signed-in connections, one per device. */
export interface Connections {
  enter(connection: Connection): void
  leave(connection: Connection, event: LinkEvent): void
  /** Disconnects devices that were deleted or are refused (uninstalled, key revoked), or whose key has changed; checks all devices by default. */
  recheck(deviceIds?: readonly string[]): Promise<void>
}

export function openConnections(intake: Intake, subscriptions: Subscriptions, metrics: LinkMetrics): Connections {
  const ofDevice = new Map<string, Connection>()

  const leave = (connection: Connection, event: LinkEvent) => {
    const { route } = connection
    if (!route || ofDevice.get(route.deviceId) !== connection) return
    ofDevice.delete(route.deviceId)
    metrics.connections.set(ofDevice.size)
    for (const filter of connection.filters) subscriptions.remove(connection.filters, filter)
    intake.link(route, event)
  }

  const compare = (connection: Connection, now: DeviceRoute | undefined) => {
    const before = connection.route!
    if (!now || now.refusal || !now.keyHash?.equals(before.keyHash!)) return end(connection)
    connection.route = now
    if (now.tenant !== before.tenant) intake.link(now, 'connected')
  }
  const end = (connection: Connection) => {
    connection.isEnded = true
    connection.client.close()
  }

  return {
    leave,
    enter: (connection) => {
      const route = connection.route!
      const before = ofDevice.get(route.deviceId)
      // The device reconnected before the end of its old connection was noticed: the old one was dropped.
      if (before) leave(before, 'dropped')
      ofDevice.set(route.deviceId, connection)
      metrics.connections.set(ofDevice.size)
      intake.link(route, 'connected')
      // The route may have been refreshed since its key was checked.
      const latest = intake.routes.known(route.deviceId)
      if (latest) compare(connection, latest)
    },
    recheck: async (deviceIds) => {
      const ids = deviceIds ? deviceIds.filter((id) => ofDevice.has(id)) : [...ofDevice.keys()]
      const routes = await intake.routes.refresh(ids)
      for (const id of ids) {
        const connection = ofDevice.get(id)
        if (connection) compare(connection, routes.get(id))
      }
    },
  }
}
