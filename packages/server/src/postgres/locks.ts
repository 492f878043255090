import { setTimeout as sleep } from 'node:timers/promises'
import type { Transaction } from 'kysely'
import { sql } from 'kysely'
import type pg from 'pg'
import { openBulletin } from './bulletin.ts'
import type { Database } from './database.ts'

/** The product's own space of advisory locks. */
const space = 0x6361_7265

/** What only one process of all that share a database may do. From 1 on the numbers are those of MQTT sessions. */
export const locks = {
  embeddedBroker: -1,
  player: -2,
  /** Held by a backup: no file is deleted from the store. Who deletes shares it with others who do (`shareLock`). */
  files: -3,
  /** Held by the process that subscribes to the brokers of connections. */
  connectors: -4,
} as const

/**
 * Takes a lock without waiting. It is held as long as the connection, and Postgres notices within some seconds when the machine
 * at its other end is gone.
 */
export async function tryLock(client: pg.ClientBase, lock: number): Promise<boolean> {
  await keepAlive(client)
  const { rows } = await client.query<{ taken: boolean }>('select pg_try_advisory_lock($1, $2) as taken', [space, lock])
  return rows[0]!.taken
}

/** Lets Postgres notice within some seconds that the machine at the other end of this connection is gone. */
export async function keepAlive(client: pg.ClientBase): Promise<void> {
  await client.query('set tcp_keepalives_idle = 4; set tcp_keepalives_interval = 2; set tcp_keepalives_count = 2')
}

/** The same, patiently: one that was killed a moment ago may still seem to hold it. */
export async function lockWithin(client: pg.ClientBase, lock: number, patience: number): Promise<boolean> {
  for (const end = performance.now() + patience; ; await sleep(200)) {
    if (await tryLock(client, lock)) return true
    if (performance.now() > end) return false
  }
}

export async function unlock(client: pg.ClientBase, lock: number): Promise<void> {
  await client.query('select pg_advisory_unlock($1, $2)', [space, lock])
}

interface Sole {
  pool: pg.Pool
  /** Names the connection in the database. */
  name: string
  lock: number
  /** Begins what only one process may do; resolves with how to end it. */
  start(): () => Promise<void>
  /** How often the others look whether it is theirs to do, in ms. */
  every?: number
}

/** Does something in one process of all that share a database; when that one ends, another takes over. */
export async function inOneProcess({ pool, name, lock, start, every = 2000 }: Sole): Promise<() => Promise<void>> {
  let client: pg.Client | undefined
  let end: (() => Promise<void>) | undefined
  let looking: Promise<void> | undefined
  const look = async (on: pg.Client) => {
    const ours = !end && (await tryLock(on, lock))
    if (ours && !end && client === on) end = start()
  }
  const stop = async () => {
    client = undefined
    await looking?.catch(() => {})
    await end?.()
    end = undefined
  }
  const bulletin = await openBulletin({
    pool,
    name,
    channels: [],
    onNews: () => {},
    onOpen: async (opened) => {
      client = opened
      await (looking = look(opened))
    },
    onLost: stop,
  })
  const timer = setInterval(() => {
    if (client) looking = look(client).catch(() => {})
  }, every)
  return async () => {
    clearInterval(timer)
    await stop()
    await bulletin.stop()
  }
}

/** Takes a share of a lock until the transaction ends; false when somebody has it alone. */
export async function shareLock(transaction: Transaction<Database>, lock: number): Promise<boolean> {
  const { rows } = await sql<{ taken: boolean }>`
    select pg_try_advisory_xact_lock_shared(${space}, ${lock}) as taken`.execute(transaction)
  return rows[0]!.taken
}
