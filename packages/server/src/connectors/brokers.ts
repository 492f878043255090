import { isIP } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import type { IClientOptions, MqttClient } from 'mqtt'
import { connect } from 'mqtt'
import { messageLimit } from '@caretaker/rules/connections/connections.ts'
import type { BrokerSecrets } from '@caretaker/rules/connections/stored.ts'
import type { Context } from '../context.ts'
import { blamesData } from '../mqtt/batch.ts'
import { tenantsDue } from '../postgres/due.ts'
import { inOneProcess, locks } from '../postgres/locks.ts'
import { inTenant } from '../postgres/tenant.ts'
import { openFetch } from '../webhooks/fetch.ts'
import { openReach } from '../webhooks/reach.ts'
import type { World } from '../world.ts'
import { openCodecs } from './codecs.ts'
import type { DownlinkWays } from './downlinks.ts'
import { sendDownlinks } from './downlinks.ts'
import type { ConnectorIntake } from './intake.ts'
import { openConnectorIntake } from './intake.ts'
import { recordBroker } from './messages.ts'
import type { KnownConnection } from './sensors.ts'

/** How often open sessions are compared with the connections, in ms. */
const lookEvery = 5_000
/** Time between two attempts to reach a broker, in ms. */
const reconnectEvery = 5_000
const patience = 10_000
/** How often due downlinks are looked for, in ms. */
const downlinksEvery = 2_000
/** After this number of failed attempts in a row the address of a broker is looked up and checked again. */
const attemptsPerAddress = 3

interface BrokerConnection extends KnownConnection {
  broker: { url: string; topic: string; user?: string }
  secrets: BrokerSecrets
}

const notConnected = 'The broker is not connected.'

interface Session {
  /** The settings that the session was opened with. */
  settings: string
  /** Whether its address cannot be reached any more: it may have changed. */
  isLost(): boolean
  /** Rejects while the broker is not connected, or does not answer in time. */
  publish(topic: string, body: string, options: { qos: 0 | 1 }): Promise<void>
  end(): Promise<void>
}

/**
 * Subscribes to the brokers of all MQTT connections and sends the downlinks of all connections, in one process at a time. A message is acknowledged to its broker after
 * the commit, so that a killed process loses none.
 */
export function startBrokerClients(context: Context, world?: Pick<World, 'answer'>): Promise<() => Promise<void>> {
  const { owner } = context
  return inOneProcess({
    ...{ pool: owner, name: 'caretaker-connectors', lock: locks.connectors },
    start: () => keepSessions(context, world),
  })
}

function keepSessions(context: Context, world: Pick<World, 'answer'> | undefined): () => Promise<void> {
  const { db, log, config } = context
  const codecs = openCodecs()
  const intake = openConnectorIntake(context, codecs.run)
  const reach = openReach(config.webhookNetworks)
  const sessions = new Map<string, Session>()
  let stopping = false

  const look = async () => {
    const wanted = new Map<string, BrokerConnection>()
    for (const tenant of await tenantsDue(db, 'keep broker sessions'))
      for (const one of await brokerConnections(context, tenant)) wanted.set(one.id, one)
    for (const [id, session] of sessions) {
      const one = wanted.get(id)
      if (one && session.settings === JSON.stringify(one) && !session.isLost()) continue
      sessions.delete(id)
      await session.end()
    }
    for (const [id, one] of wanted) {
      if (sessions.has(id) || stopping) continue
      const reportState = stateReporter(context, one)
      try {
        sessions.set(id, await openSession(one, { intake, reach, reportState, log }))
      } catch (error) {
        await reportState({ isConnected: false, error: wordOf(error) })
      }
    }
  }
  const repeat = async (doWork: () => Promise<unknown>, every: number, failure: string) => {
    while (!stopping) {
      await doWork().catch((error: unknown) => log.warn({ err: error }, failure))
      for (let waited = 0; waited < every && !stopping; waited += 100) await sleep(100)
    }
  }
  const askServer = openFetch(reach)
  const ways: DownlinkWays = {
    publish: async (connectionId, { topic, body }, options) => {
      const session = sessions.get(connectionId)
      if (!session) throw new Error(notConnected)
      await session.publish(topic, JSON.stringify(body), options)
    },
    ask: (address, options) => world?.answer?.(address, options) ?? askServer(address, options),
  }
  const work = Promise.all([
    repeat(look, lookEvery, 'the brokers of connections could not be looked up'),
    repeat(() => sendDownlinks(context, ways), downlinksEvery, 'downlinks could not be sent'),
  ])
  return async () => {
    stopping = true
    await work
    await Promise.all([...sessions.values()].map((session) => session.end()))
    await intake.drain(patience)
    await codecs.close()
  }
}

async function brokerConnections({ db }: Context, tenant: string): Promise<BrokerConnection[]> {
  return inTenant(db, tenant, async (tx) => {
    const rows = await tx
      .selectFrom('connection')
      .select(['id', 'kind', 'name', 'paths', 'broker', 'broker_secrets'])
      .where('tenant_id', '=', tenant)
      .where('transport', '=', 'mqtt')
      .where('paused_at', 'is', null)
      .execute()
    return rows.flatMap(({ broker, broker_secrets: secrets, ...row }) =>
      broker ? [{ ...row, tenant, paused: false, broker, secrets: secrets ?? {} }] : [],
    )
  })
}

type State = Parameters<typeof recordBroker>[2]

/** Returns a function that stores the state of a broker if it has changed. */
function stateReporter({ db, log }: Context, { id, tenant }: BrokerConnection) {
  let last = ''
  return async (state: State): Promise<void> => {
    if (JSON.stringify(state) === last) return
    last = JSON.stringify(state)
    await inTenant(db, tenant, (tx) => recordBroker(tx, id, state)).catch((error: unknown) =>
      log.warn({ err: error, connection: id }, 'the state of a broker could not be written'),
    )
  }
}

interface Means {
  intake: ConnectorIntake
  reach: ReturnType<typeof openReach>
  reportState(state: State): Promise<void>
  log: Context['log']
}

async function openSession(connection: BrokerConnection, { intake, reach, reportState, log }: Means): Promise<Session> {
  const { broker, secrets } = connection
  const url = new URL(broker.url)
  const isSecure = url.protocol === 'mqtts:'
  // Connect to the checked address: the name may resolve to another one a moment later.
  const [address] = await reach.addressesOf(url.hostname, isSecure)
  const options: IClientOptions = {
    ...{
      protocol: isSecure ? 'mqtts' : 'mqtt',
      host: address!.address,
      port: Number(url.port) || (isSecure ? 8883 : 1883),
    },
    ...{
      clientId: `caretaker-${connection.id}`,
      clean: false,
      reconnectPeriod: reconnectEvery,
      connectTimeout: 10_000,
    },
    ...{ username: broker.user, password: secrets.password, resubscribe: false },
    ...(isSecure && !isIP(url.hostname) && { servername: url.hostname }),
    ...(secrets.authority && { ca: secrets.authority }),
    ...(secrets.certificate && { cert: secrets.certificate, key: secrets.privateKey }),
  }
  const client: MqttClient = connect(options)
  let isEnded = false
  let closed = 0
  let failed = 0
  let reason = 'The broker does not answer'
  // Called for one message at a time; `done` acknowledges it to the broker.
  client.handleMessage = ({ topic, payload, retain }, done) => {
    const before = closed
    // The broker resends a message that was not acknowledged before the connection closed.
    const isOver = () => isEnded || closed !== before
    void receiveMessage(
      intake,
      connection,
      { topic, payload: Buffer.from(payload), isRetained: retain },
      isOver,
      log,
    ).then(
      () => done(),
      (error: unknown) => done(error as Error),
    )
  }
  client.on('connect', () => {
    failed = 0
    client.subscribe(broker.topic, { qos: 1 }, (error, granted) => {
      const isRefused = error ?? granted?.some(({ qos }) => qos === 128)
      void reportState(
        isRefused
          ? { isConnected: false, error: `The broker refuses the topic ${broker.topic}` }
          : { isConnected: true, error: null },
      )
    })
  })
  client.on('error', (error) => {
    reason = wordOf(error)
    void reportState({ isConnected: false, error: reason })
  })
  client.on('close', () => {
    closed++
    failed++
    if (!isEnded) void reportState({ isConnected: false, error: reason })
  })
  return {
    settings: JSON.stringify(connection),
    isLost: () => failed >= attemptsPerAddress,
    publish: async (topic, body, sending) => {
      if (!client.connected) throw new Error(notConnected)
      const late = new AbortController()
      await Promise.race([
        client.publishAsync(topic, body, sending),
        sleep(patience, undefined, { signal: late.signal }).then(() =>
          Promise.reject(new Error('The broker did not confirm the message.')),
        ),
      ]).finally(() => late.abort())
    },
    end: async () => {
      isEnded = true
      await client.endAsync(true)
      await reportState({ isConnected: false, error: failed ? reason : null })
    },
  }
}

/**
 * Stores a message. While the database is unavailable it retries, and the broker keeps the messages that follow. A message that can never be
 * stored is counted as an error.
 */
export async function receiveMessage(
  intake: Pick<ConnectorIntake, 'allowances' | 'receive' | 'refuse'>,
  connection: KnownConnection,
  { topic, payload, isRetained = false }: { topic: string; payload: Buffer; isRetained?: boolean },
  isOver: () => boolean,
  log: Pick<Context['log'], 'warn'>,
): Promise<void> {
  const text = payload.toString('utf8')
  let isRefused = false
  // The broker keeps the messages beyond the allowance.
  for (let wait = intake.allowances.waitOf(connection.id); wait; wait = intake.allowances.waitOf(connection.id)) {
    if (isOver()) throw new Error('The connection closed')
    await sleep(Math.min(wait, 1000))
  }
  intake.allowances.take(connection.id, 1)
  for (;;)
    try {
      if (payload.length > messageLimit)
        await intake.refuse(connection, 'too large', 'A message was larger than 256 kB. Nothing was stored.')
      else if (isRefused) await intake.refuse(connection, 'wrong shape', 'A message could not be stored')
      else await intake.receive(connection, { payload: parsed(text), topic, isRetained }, text.replaceAll('\0', ''))
      return
    } catch (error) {
      if (isOver()) throw error
      log.warn({ err: error, connection: connection.id }, 'a message of a broker is not stored yet')
      if (blamesData(error) && !isRefused) isRefused = true
      else await sleep(1000)
    }
}

/** Some messages are not JSON but plain words, such as 'online'. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch {
    return text
  }
}

const wordOf = (error: unknown): string => {
  const { message, code } = error as { message?: string; code?: string | number }
  return (message || String(code ?? 'The broker cannot be reached')).slice(0, 300)
}
