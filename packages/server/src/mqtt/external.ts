import type pg from 'pg'
import { sql } from 'kysely'
import { topic } from '@caretaker/contract/mqtt/topics.ts'
import { SettingError } from '../config.ts'
import type { Context } from '../context.ts'
import { commandQueued } from '../features/commands/store.ts'
import { openOutageLog } from '../outage-log.ts'
import { openBulletin } from '../postgres/bulletin.ts'
import type { Db } from '../postgres/pool.ts'
import type { BrokerSession } from './broker-session.ts'
import { isUserRefused, openSession } from './broker-session.ts'
import { startCommandSender } from './commands.ts'
import { messagesTaken, openIntake } from './intake.ts'
import type { DeviceLink } from './link.ts'
import { linkMetrics, watchBroker } from './metrics.ts'
import { idsIn, routesChanged } from './route-changes.ts'
import { emptyAbandoned, sessionLeft, takeSession } from './session-numbers.ts'

/** How often abandoned sessions are looked for, in ms. */
const lookEvery = 3000

/**
 * One worker of an external MQTT 5 broker. Several workers share the device messages; each message is acknowledged
 * after the commit. The broker checks who may publish where, by the same rules as the embedded one.
 *
 * A worker's session is named after the number it holds. When a worker is gone, another one fetches the messages that
 * the broker kept for it and ends its subscription; without other workers the broker keeps them until one is back. So
 * there is always a subscriber.
 */
export async function startExternal(context: Context, url: string, patience: number): Promise<DeviceLink> {
  const { db, log, owner, metrics: registry } = context
  const metrics = linkMetrics(registry)
  const intake = openIntake(context, metrics)
  const outage = openOutageLog(log, 'the broker of MQTT_URL')
  /** The database connection that holds the locks, and the number of the session. */
  let work: { database: pg.Client; number: number } | undefined
  let session: BrokerSession | undefined
  let adopted: BrokerSession | undefined
  let looking: Promise<unknown> | undefined
  let hasStarted = false
  let stopping = false

  /** Fetches what the broker keeps for processes that are gone. */
  const adopt = (number: number) => async (abandoned: number) => {
    if (stopping || !session?.connected) throw new Error('not now')
    log.info({ number: abandoned, by: number }, 'emptying an abandoned session')
    adopted = openSession({ url, number: abandoned, takesShare: false, intake })
    try {
      const failure = await adopted.begun
      if (failure) throw failure
      await adopted.empty()
    } finally {
      await adopted.end()
      adopted = undefined
    }
  }
  const look = () => {
    if (!work || stopping || !session?.connected) return
    const { database, number } = work
    looking ??= emptyAbandoned(database, number, adopt(number))
      .catch((error: unknown) => stopping || log.warn({ err: error }, 'a session could not be emptied'))
      .finally(() => (looking = undefined))
  }

  const commands = startCommandSender({
    db,
    log,
    metrics,
    reachable: () => (session?.connected ? devicesWithDueCommands(db) : []),
    send: async (deviceId, payload) => {
      // The broker may still allow a refused device to subscribe.
      const route = intake.routes.known(deviceId) ?? (await intake.routes.find(deviceId))
      if (route && !route.refusal) await session?.publish(topic(deviceId, 'commands'), payload)
    },
  })
  const connect = (number: number) =>
    openSession({
      url,
      number,
      takesShare: true,
      intake,
      onConnected: () => {
        outage.worked()
        look()
        void devicesWithDueCommands(db).then(commands.wake, () => {})
      },
      onAway: (error) => stopping || outage.failed(reasonOf(error)),
      // The lock on the number must be lost: start again with a new database connection.
      onTakenOver: () => void work?.database.end().catch(() => {}),
    })
  const bulletin = await openBulletin({
    pool: owner,
    name: 'caretaker-link',
    channels: [commandQueued, sessionLeft, messagesTaken, routesChanged],
    onNotification: (payload, channel) => {
      if (channel === sessionLeft) look()
      else if (channel === messagesTaken) intake.sharing.hear(payload)
      else if (channel === routesChanged) intake.routes.expire(idsIn(payload))
      else if (session?.connected) commands.wake([payload])
    },
    onOpen: async (connection) => {
      const number = await takeSession(connection)
      work = { database: connection, number }
      session = connect(number)
      intake.sharing.connect(connection)
      // If the broker is unreachable, the session keeps trying; rejected credentials are a wrong setting.
      const failure = await session.begun
      if (failure && !hasStarted && isUserRefused(failure)) {
        await session.end(true)
        throw new SettingError(
          `MQTT_URL: the broker refuses this user (${reasonOf(failure)}). Check name and password, and what the broker allows it.`,
        )
      }
      hasStarted = true
    },
    onLost: async () => {
      work = undefined
      intake.sharing.connect(undefined)
      await Promise.all([session?.end(true), adopted?.end(true)])
      session = undefined
      await looking
    },
  }).catch(async (error: unknown) => {
    await commands.stop()
    throw error
  })
  const timer = setInterval(look, lookEvery)
  const isUp = () => !stopping && session?.connected === true
  watchBroker(registry, isUp)

  return {
    url: withoutCredentials(url),
    port: undefined,
    isUp,
    stop: async () => {
      stopping = true
      clearInterval(timer)
      session?.refuse()
      adopted?.refuse()
      await intake.drain(patience)
      await Promise.all([session?.end(), adopted?.end()])
      await looking
      // Notifies the other workers; the lock ends with the connection.
      await work?.database.query(`select pg_advisory_unlock_all(), pg_notify($1, '')`, [sessionLeft]).catch(() => {})
      await Promise.all([bulletin.stop(), commands.stop()])
    },
  }
}

/** Errors of connections that were tried at several addresses have no message of their own. */
const reasonOf = (error: Error & { code?: unknown }) => error.message || String(error.code)

async function devicesWithDueCommands(db: Db): Promise<string[]> {
  const rows = await db
    .selectFrom('command_outbox')
    .select('device_id')
    .distinct()
    .where('is_downlink', '=', false)
    .where('due_at', '<=', sql<Date>`now()`)
    .where('expires_at', '>', sql<Date>`now()`)
    .limit(1000)
    .execute()
  return rows.map((row) => row.device_id)
}

function withoutCredentials(url: string): string {
  const address = new URL(url)
  address.username = address.password = ''
  return address.href
}
