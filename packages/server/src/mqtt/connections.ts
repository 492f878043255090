import type { Client } from 'aedes'
import type { Intake } from './intake.ts'
import type { Pace } from './limits.ts'
import type { LinkMetrics } from './metrics.ts'
import type { DeviceRoute } from './routes.ts'
import type { LinkEvent } from './store.ts'
import type { Subscriptions } from './subscriptions.ts'

/** A client from its connection to its end. */
export interface Connection {
  client: Client
  /** To be called when more may be read from it. */
  readOn(): void
  /** Bytes of messages taken from it and not yet done. */
  inHand: number
  /** Whether nothing is read from it for want of room: if it ends now, that is not the device's doing. */
  held: boolean
  willTopic?: string
  /** Its place among those that have not signed in. */
  place: { leave(): void }
  /** Runs while it is read later, because it has sent too much. */
  later?: NodeJS.Timeout | undefined
  /** How fast it may be read. */
  pace: Pace
  /** Once it has signed in. */
  route?: DeviceRoute
  /** Whether the server has ended it: nothing more is taken from it. */
  isEnded?: true
  /** The topic filters that it has subscribed to. */
  filters: Set<string>
}

/** The connections that have signed in, one for each device. */
export interface Connections {
  enter(connection: Connection): void
  leave(connection: Connection, event: LinkEvent): void
  /** Ends those of devices that are gone or refused, or whose key is another one by now; of all devices, or of these. */
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
      // Taken over by a new connection before its end was noticed: the old one has dropped.
      if (before) leave(before, 'dropped')
      ofDevice.set(route.deviceId, connection)
      metrics.connections.set(ofDevice.size)
      intake.link(route, 'connected')
      // Its route may have been read anew between the check of its key and now.
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
