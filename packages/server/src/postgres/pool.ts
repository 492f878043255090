import { Kysely, PostgresDialect } from 'kysely'
import pg from 'pg'
import { applicationRole, identityRole } from '../migrations/tenant-table.ts'
import { markLost } from './lost.ts'
import { keepPrepared } from './prepared.ts'
import type { Database } from './database.ts'
import { nestedConnection } from './scope.ts'

export type Db = Kysely<Database>

/** `owner` migrates and runs jobs; `app` answers calls under row-level security; `idp` reaches only its own schema. */
const roles = { owner: undefined, app: applicationRole, idp: identityRole } as const

/**
 * Planner settings: random access costs what it does on an SSD, so that no index is avoided in favour of a full scan;
 * and no single query takes all cores.
 */
const planning = '-c random_page_cost=1.1 -c max_parallel_workers_per_gather=0'

const int8 = 20
/** Counts and series ids stay below 2^53: they are read as numbers, not texts. */
const types: pg.CustomTypesConfig = {
  getTypeParser: ((oid: number, format?: 'text' | 'binary') =>
    oid === int8 && format !== 'binary'
      ? Number
      : pg.types.getTypeParser(oid, format as 'text')) as pg.CustomTypesConfig['getTypeParser'],
}

/** A connection that marks its errors when it could not be opened. */
class MarkedClient extends pg.Client {
  override connect(): Promise<pg.Client>
  override connect(callback: (error: Error) => void): void
  override connect(callback?: (error: Error) => void): Promise<pg.Client> | void {
    const mark = (error: Error | undefined) => {
      if (error) markLost(error)
    }
    if (!callback)
      return super.connect().catch((error: Error) => {
        mark(error)
        throw error
      })
    super.connect((error: Error) => {
      mark(error)
      callback(error)
    })
  }
}

/** The logger for broken connections, once per incident. */
type Log = { error(details: object, text: string): void }

/** A pool whose sessions use the given role. It is the session's default role, so that RESET ROLE does not leave it. */
export function openPool(url: string, role: keyof typeof roles, max: number, log?: Log): pg.Pool {
  const name = roles[role]
  const pool = new pg.Pool({
    connectionString: url,
    Client: MarkedClient,
    max,
    types,
    idleTimeoutMillis: 60_000,
    connectionTimeoutMillis: 15_000,
    application_name: `caretaker-${role}`,
    ...(name && { options: `-c role=${name} ${planning}` }),
  })
  refuseNestedConnections(pool, role)
  // Many connections break at once: one line is logged for all, until one can be opened again.
  let broken = false
  const onError = (error: Error) => {
    markLost(error)
    if (!broken) log?.error({ err: error, role }, 'connections to the database broke')
    broken = true
  }
  // Without a listener a database restart would end the process; the next query opens a new connection.
  pool.on('error', onError)
  pool.on('connect', (client) => {
    broken = false
    // The same for a connection in use: its query fails anyway, and the pool only listens to idle ones.
    client.on('error', onError)
    keepPrepared(client)
  })
  return pool
}

/** Code that holds a connection in a transaction must not get a second one, from this or another pool. */
function refuseNestedConnections(pool: pg.Pool, role: string): void {
  const connect = pool.connect.bind(pool) as (callback?: (error: Error) => void) => unknown
  pool.connect = ((callback?: (error: Error) => void) => {
    const refused = nestedConnection(role)
    if (!refused) return connect(callback)
    if (!callback) return Promise.reject(refused)
    return process.nextTick(callback, refused)
  }) as typeof pool.connect
}

export function openDb(pool: pg.Pool): Db {
  return new Kysely<Database>({ dialect: new PostgresDialect({ pool }) })
}
