import { SettingError } from '../config.ts'
import type { Context } from '../context.ts'
import { forgetConnections } from '../features/devices/ingest.ts'
import { commandQueued } from '../features/commands/store.ts'
import { openBulletin } from '../postgres/bulletin.ts'
import { locks, lockWithin } from '../postgres/locks.ts'
import type { Broker } from './broker.ts'
import { startBroker } from './broker.ts'
import type { CommandSender } from './commands.ts'
import { startCommandSender } from './commands.ts'
import { startExternal } from './external.ts'
import type { Intake } from './intake.ts'
import { openIntake } from './intake.ts'
import type { DeviceLink } from './link.ts'
import { linkMetrics, watchBroker } from './metrics.ts'
import { idsIn, routesChanged } from './route-changes.ts'

/**
 * How long a stop waits for accepted messages to be stored, in ms. Unstored messages are not acknowledged and so not
 * lost.
 */
const patience = 10_000

/**
 * Starts the device link: the embedded broker, or a worker of the broker at MQTT_URL. Throws a SettingError if the
 * port cannot be used or the broker rejects the credentials. It waits for an unreachable broker; `isUp` reports the
 * state.
 */
export function startDeviceLink(context: Context): Promise<DeviceLink> {
  return context.config.mqttUrl ? startExternal(context, context.config.mqttUrl, patience) : startEmbedded(context)
}

/** How long to wait for the lock of an embedded broker that has just been killed, in ms. */
const lockPatience = 3000
const secondBroker =
  'Another process runs the embedded MQTT broker on this database. Set MQTT_URL to a broker that all of them use, or start ingest once.'

async function startEmbedded(context: Context): Promise<DeviceLink> {
  const { config, db, log, owner, metrics: registry } = context
  let broker: Broker | undefined
  let commands: CommandSender | undefined
  let intake: Intake | undefined
  const changeRoutes = async (deviceIds: string[]) => {
    intake?.routes.expire(deviceIds)
    // If the database is unreachable, the regular check of all connections disconnects the devices.
    await broker?.recheck(deviceIds).catch(() => {})
  }
  // Only the process that holds the lock records which devices are connected.
  const bulletin = await openBulletin({
    pool: owner,
    name: 'caretaker-link',
    channels: [commandQueued, routesChanged],
    onNotification: (payload, channel) => {
      if (channel === routesChanged) void changeRoutes(idsIn(payload))
      else if (broker?.isListening(payload)) commands?.wake([payload])
    },
    onOpen: async (connection) => {
      if (!(await lockWithin(connection, locks.embeddedBroker, lockPatience))) {
        log.error(secondBroker)
        throw new SettingError(secondBroker)
      }
      commands?.wake(broker!.listening())
    },
  })
  try {
    await forgetConnections(db)
    const metrics = linkMetrics(registry)
    const opened = (intake = openIntake(context, metrics))
    const running = (broker = await startBroker({
      ...config.mqtt,
      limits: config.deviceLimits,
      intake: opened,
      metrics,
      log,
      onListening: (deviceIds) => sender.wake(deviceIds),
    }))
    const sender = (commands = startCommandSender({
      db,
      log,
      metrics,
      reachable: running.listening,
      send: running.send,
      // The devices of a demo are simulated.
      isOff: !config.outbound && !config.demo,
    }))
    let stopping = false
    const isUp = () => !stopping
    watchBroker(registry, isUp)
    return {
      isUp,
      url: `${config.mqtt.tls ? 'mqtts' : 'mqtt'}://${publicHost(config.mqtt.host)}:${running.port}`,
      port: running.port,
      stop: async () => {
        stopping = true
        running.refuse()
        await sender.stop()
        await opened.drain(patience)
        await running.stop()
        // The ends of the connections still have to be stored.
        await opened.drain(patience)
        await bulletin.stop()
      },
    }
  } catch (error) {
    await bulletin.stop()
    throw error
  }
}

/** Replaces a wildcard listen address with one that can be connected to. */
function publicHost(host: string): string {
  return ['0.0.0.0', '::'].includes(host) ? 'localhost' : host.includes(':') ? `[${host}]` : host
}
