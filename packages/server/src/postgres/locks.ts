import { setTimeout as sleep } from 'node:timers/promises'
import type { Transaction } from 'kysely'
import { sql } from 'kysely'
import type pg from 'pg'
import { openBulletin } from './bulletin.ts'
import type { Database } from './database.ts'

/** The product's own namespace of advisory locks. */
const space = 0x6361_7265

/** Work that only one process per database may do. Numbers from 1 are MQTT sessions. */
export const locks = {
  embeddedBroker: -1,
  player: -2,
  /**
   * Held by a backup: no file may be deleted from the store. Deletions share the lock with each other (`shareLock`).
   */
  files: -3,
  /** Held by the process that subscribes to the brokers of connections. */
  connectors: -4,
} as const

/**
 * Takes a lock without waiting. It is held as long as the connection; Postgres notices within seconds if the machine
 * at the other end is gone.
 */
export async function tryLock(client: pg.ClientBase, lock: number): Promise<boolean> {
  await keepAlive(client)
  const { rows } = await client.query<{ taken: boolean }>('select pg_try_advisory_lock($1, $2) as taken', [space, lock])
  return rows[0]!.taken
}

/** Makes Postgres notice within seconds that the machine at the other end of this connection is gone. */
export async function keepAlive(client: pg.ClientBase): Promise<void> {
  await client.query('set tcp_keepalives_idle = 4; set tcp_keepalives_interval = 2; set tcp_keepalives_count = 2')
}

/** Like `tryLock`, but retries for `patience` ms: a process that was just killed may still hold it. */
export async function lockWithin(client: pg.ClientBase, lock: number, patience: number): Promise<boolean> {
  for (const end = performance.now() + patience; ; await sleep(200)) {
    if (await tryLock(client, lock)) return true
    if (performance.now() > end) return false
  }
}

export async function unlock(client: pg.ClientBase, lock: number): Promise<void> {
  await client.query('select pg_advisory_unlock($1, $2)', [space, lock])
}

interface LockedWork {
  pool: pg.Pool
  /** The connection's name in the database. */
  name: string
  lock: number
  /** Starts the work; resolves with the function that ends it. */
  start(): () => Promise<void>
  /** How often the other processes try to take over, in ms. */
  every?: number
}

/** Runs work in one of the processes that share a database; when it ends, another takes over. */
export async function inOneProcess({
  pool,
  name,
  lock,
  start,
  every = 2000,
}: LockedWork): Promise<() => Promise<void>> {
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
    onNotification: () => {},
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

/** Takes a shared lock until the transaction ends; false if another session holds it exclusively. */
export async function shareLock(transaction: Transaction<Database>, lock: number): Promise<boolean> {
  const { rows } = await sql<{ taken: boolean }>`
    select pg_try_advisory_xact_lock_shared(${space}, ${lock}) as taken`.execute(transaction)
  return rows[0]!.taken
}
