import type { IPublishPacket, MqttClient } from 'mqtt'
import { connect } from 'mqtt'
import type pg from 'pg'
import { sql } from 'kysely'
import { topic, upChannels } from '@caretaker/contract/mqtt/topics.ts'
import { SettingError } from '../config.ts'
import type { Context } from '../context.ts'
import { commandQueued } from '../features/commands/store.ts'
import { openBulletin } from '../postgres/bulletin.ts'
import type { Db } from '../postgres/pool.ts'
import { startCommandSender } from './commands.ts'
import type { DeviceLink } from './device-link.ts'
import type { Intake } from './intake.ts'
import { openIntake } from './intake.ts'
import { linkMetrics } from './metrics.ts'

/** Messages that the broker may have on their way to this worker at once. */
const receiveMaximum = 5000
/** How long the broker keeps a worker's unacknowledged messages, in seconds. */
const sessionKept = 86_400
const topics = upChannels.map((channel) => `$share/caretaker/devices/+/${channel}`)
/** Space of the advisory locks that number the workers. */
const lockSpace = 0x6361_7265

/**
 * One worker of an external MQTT 5 broker: several of them share what devices say, and each message is acknowledged to the
 * broker after the commit. Who may publish where is the broker's to check, by the same rule as the embedded one.
 */
export async function startExternal(context: Context, url: string, patience: number): Promise<DeviceLink> {
  const { db, log, owner, metrics: registry } = context
  const metrics = linkMetrics(registry)
  const intake = openIntake(context, metrics)
  let client: MqttClient | undefined
  let database: pg.Client | undefined
  let stopping = false

  const commands = startCommandSender({
    db,
    log,
    metrics,
    reachable: () => (client?.connected ? devicesWithDueCommands(db) : []),
    send: async (deviceId, payload) =>
      void (await client?.publishAsync(topic(deviceId, 'commands'), payload, { qos: 1 })),
  })

  // The number that a worker holds names its session: the one that comes after a crash gets what the other left.
  const bulletin = await openBulletin({
    pool: owner,
    name: 'caretaker-link',
    channels: [commandQueued],
    onNews: (deviceId) => client?.connected && commands.wake([deviceId]),
    onOpen: async (connection) => {
      database = connection
      client = await open(url, await takeNumber(connection), (fresh) => consume(fresh, intake, () => stopping))
      client.on('error', (error) => log.warn({ reason: error.message }, 'the broker of MQTT_URL'))
      client.on('connect', () => void subscribe(client!).catch((error: Error) => log.error({ reason: error.message })))
      commands.wake(await devicesWithDueCommands(db))
    },
    onLost: async () => {
      await client?.endAsync(true)
      client = undefined
    },
  }).catch(async (error: unknown) => {
    await commands.stop()
    throw error
  })

  return {
    url: withoutCredentials(url),
    port: undefined,
    stop: async () => {
      // Alone, the worker leaves its session behind: the broker keeps for it what devices say until it is back.
      if (client?.connected && (await othersAtWork(database!))) await client.unsubscribeAsync(topics).catch(() => {})
      stopping = true
      await intake.drain(patience)
      await end(client)
      await Promise.all([bulletin.stop(), commands.stop()])
    },
  }
}

/** `prepare` comes before the connection: what a former worker left arrives together with the broker's first word. */
async function open(url: string, number: number, prepare: (client: MqttClient) => void): Promise<MqttClient> {
  const client = connect(url, {
    protocolVersion: 5,
    clientId: `caretaker-${number}`,
    clean: false,
    resubscribe: false,
    reconnectPeriod: 1000,
    properties: { sessionExpiryInterval: sessionKept, receiveMaximum },
  })
  prepare(client)
  try {
    await new Promise((resolve, reject) => {
      client.once('connect', resolve)
      client.once('error', reject)
      client.once('close', () => reject(new Error('the connection was closed')))
    })
    await subscribe(client)
    return client
  } catch (error) {
    client.on('error', () => {})
    client.end(true)
    const { message, code } = error as Error & { code?: string }
    throw new SettingError(
      `MQTT_URL: the broker cannot be reached (${message || code}). Check address, name and password.`,
    )
  }
}

async function subscribe(client: MqttClient): Promise<void> {
  await client.subscribeAsync(topics, { qos: 1 })
}

type SendPacket = (packet: { cmd: string }, done?: () => void, ...rest: unknown[]) => unknown
/** The client's way out for packets; its version is fixed because of it. */
const sendPacket = '_sendPacket'

/**
 * Hands messages to the intake and acknowledges each once it is stored. The client would acknowledge as soon as it has handed
 * one out, and hand out the next only then: about fifty messages a second. So its own acknowledgements are swallowed.
 */
function consume(client: MqttClient, intake: Intake, stopping: () => boolean): void {
  const inside = client as unknown as Record<typeof sendPacket, SendPacket>
  const send = inside[sendPacket].bind(client)
  inside[sendPacket] = (packet, done, ...rest) => (packet.cmd === 'puback' ? done?.() : send(packet, done, ...rest))

  let held: (() => void)[] = []
  const next = (proceed: () => void) => (intake.waiting() < receiveMaximum ? proceed() : held.push(proceed))
  client.handleMessage = (packet: IPublishPacket, proceed) => {
    if (stopping()) return
    const { stream } = client
    const { messageId, topic, payload } = packet
    intake.take({ topic, payload: payload as Buffer }, () => {
      // A number of a connection that is gone means nothing on the next one: the broker sends the message again.
      if (messageId !== undefined && client.connected && client.stream === stream)
        stream.write(acknowledgement(messageId))
      const waiting = held
      held = []
      for (const proceed of waiting) next(proceed)
    })
    next(() => proceed())
  }
}

const puback = 0x40
const acknowledgement = (messageId: number) => Buffer.from([puback, 2, messageId >> 8, messageId & 255])

/** The lowest number that no other worker holds; it is held as long as the connection to the database. */
async function takeNumber(database: pg.Client): Promise<number> {
  for (let number = 1; ; number++) {
    const { rows } = await database.query<{ free: boolean }>('select pg_try_advisory_lock($1, $2) as free', [
      lockSpace,
      number,
    ])
    if (rows[0]!.free) return number
  }
}

async function othersAtWork(database: pg.Client): Promise<boolean> {
  const { rows } = await database.query<{ others: boolean }>(
    `select count(*) > 1 as others from pg_locks
     where locktype = 'advisory' and classid = $1 and database = (select oid from pg_database where datname = current_database())`,
    [lockSpace],
  )
  return rows[0]!.others
}

async function devicesWithDueCommands(db: Db): Promise<string[]> {
  const rows = await db
    .selectFrom('command_outbox')
    .select('device_id')
    .distinct()
    .where('due_at', '<=', sql<Date>`now()`)
    .where('expires_at', '>', sql<Date>`now()`)
    .limit(1000)
    .execute()
  return rows.map((row) => row.device_id)
}

async function end(client: MqttClient | undefined): Promise<void> {
  if (!client) return
  const late = setTimeout(() => client.stream.destroy(), 2000)
  await client.endAsync(!client.connected)
  clearTimeout(late)
}

function withoutCredentials(url: string): string {
  const address = new URL(url)
  address.username = address.password = ''
  return address.href
}
