import type { Context } from '../context.ts'
import { forgetConnections } from '../features/devices/ingest.ts'
import { commandQueued } from '../features/commands/store.ts'
import { openBulletin } from '../postgres/bulletin.ts'
import { startBroker } from './broker.ts'
import { startCommandSender } from './commands.ts'
import { startExternal } from './external.ts'
import { openIntake } from './intake.ts'
import { linkMetrics } from './metrics.ts'

export interface DeviceLink {
  /** Where devices connect, without anybody's credentials. */
  url: string
  /** Of the embedded broker; undefined when an external one is used. */
  port: number | undefined
  /** Stores and acknowledges what was taken, then ends the connections. */
  stop(): Promise<void>
}

/** How long a stop waits for the database to take what was taken, in ms. It is not acknowledged otherwise, so not lost. */
const patience = 10_000

/**
 * Starts the side of the server that devices speak to: the embedded broker, or a worker of the broker that MQTT_URL names.
 * Throws a SettingError when the port cannot be used or the broker cannot be reached.
 */
export function startDeviceLink(context: Context): Promise<DeviceLink> {
  return context.config.mqttUrl ? startExternal(context, context.config.mqttUrl, patience) : startEmbedded(context)
}

async function startEmbedded(context: Context): Promise<DeviceLink> {
  const { config, db, log, owner, metrics: registry } = context
  await forgetConnections(db)
  const metrics = linkMetrics(registry)
  const intake = openIntake(context, metrics)
  const broker = await startBroker({
    port: config.mqttPort,
    host: config.host,
    intake,
    metrics,
    log,
    onListening: (deviceIds) => commands.wake(deviceIds),
  })
  const commands = startCommandSender({ db, log, metrics, reachable: broker.listening, send: broker.send })
  const close = async () => {
    broker.refuse()
    await commands.stop()
    await intake.drain(patience)
    await broker.stop()
    // The ends of the connections are still to be written down.
    await intake.drain(patience)
  }
  try {
    const bulletin = await openBulletin({
      pool: owner,
      name: 'caretaker-link',
      channels: [commandQueued],
      onNews: (deviceId) => broker.isListening(deviceId) && commands.wake([deviceId]),
      onOpen: () => commands.wake(broker.listening()),
    })
    const stop = async () => {
      await bulletin.stop()
      await close()
    }
    return { url: `mqtt://${publicHost(config.host)}:${broker.port}`, port: broker.port, stop }
  } catch (error) {
    await close()
    throw error
  }
}

/** A server that listens everywhere is reached here. */
function publicHost(host: string): string {
  return ['0.0.0.0', '::'].includes(host) ? 'localhost' : host.includes(':') ? `[${host}]` : host
}
