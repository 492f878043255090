import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'

/**
 * The database server of tests: one machine, or several over which Citus distributes each database. Operations on a
 * database run on every machine, because the extension works within one.
 */
export interface TestServer {
  isDistributed: boolean
  /** Creates an empty database in which tables can be distributed. */
  create(name: string): Promise<void>
  clone(name: string, template: string): Promise<void>
  rename(name: string, to: string): Promise<void>
  drop(name: string): Promise<void>
  /** Runs `work` while no other process holds the same name; with `shared`, others that share it may run too. */
  locked<T>(name: string, work: (coordinator: pg.Pool) => Promise<T>, mode?: 'alone' | 'shared'): Promise<T>
  /** Drops a database unless another process has it locked. */
  dropUnlocked(name: string): Promise<void>
  close(): Promise<void>
}

/** Copying files is five times as fast as writing blocks to the log. */
const byFiles = 'strategy file_copy'
/** The class of advisory locks for names, used by no other code. */
const lockClass = 4711

/** Few shards per table: they slow down every test, and two per machine behave like more. */
const shards = 4

interface Spread {
  /** The number of machines other than the coordinator. */
  machines?: number
  /** The number of shards per table. */
  pieces?: number
}
/**
 * Another backend is connected to a database that is being copied: Citus keeps one in each of its databases and
 * restarts it.
 */
const inUse = '55006'

/** The address is that of the coordinator, in a database whose extension knows the nodes, or of any other server. */
export async function openTestServer(url: string, { machines, pieces = shards }: Spread = {}): Promise<TestServer> {
  const coordinator = adminOf(url)
  const nodes = (await nodesOf(coordinator)).slice(0, machines)
  const workers = nodes.map(({ host, port }) => {
    const address = new URL(url)
    address.hostname = host
    address.port = String(port)
    return adminOf(address.href)
  })
  // The workers first: what the coordinator offers exists everywhere.
  const everywhere = [...workers, coordinator]
  const onEach = async (statement: string) => {
    for (const node of everywhere) await node.query(statement)
  }
  const cut = (name: string) => coordinator.query(`alter database ${name} set citus.shard_count = ${pieces}`)
  const drop = async (name: string) => {
    const statement = `drop database if exists ${name}${nodes.length ? ' with (force)' : ''}`
    for (const node of everywhere) await runUnconnected(node, name, statement, nodes.length > 0)
  }

  return {
    isDistributed: nodes.length > 0,
    create: async (name) => {
      await onEach(`create database ${name} ${byFiles}`)
      if (!nodes.length) return
      const { hostname, port } = new URL(url)
      for (const node of everywhere) await inDatabase(node, name, 'create extension citus')
      await cut(name)
      await inDatabase(
        coordinator,
        name,
        `select citus_set_coordinator_host('${hostname}', ${port || 5432})`,
        ...nodes.map(({ host, port }) => `select citus_add_node('${host}', ${port})`),
      )
    },
    clone: async (name, template) => {
      for (const node of everywhere) await clone(node, name, template, nodes.length > 0)
      // Database settings are not copied with it.
      if (nodes.length) await cut(name)
    },
    rename: async (name, to) => {
      for (const node of everywhere)
        await runUnconnected(node, name, `alter database ${name} rename to ${to}`, nodes.length > 0)
    },
    drop,
    locked: (name, work, mode = 'alone') =>
      withLock(coordinator, `pg_advisory_lock${mode === 'shared' ? '_shared' : ''}`, name, () => work(coordinator)),
    dropUnlocked: (name) => withLock(coordinator, 'pg_try_advisory_lock', name, () => drop(name)),
    close: async () => void (await Promise.all(everywhere.map((node) => node.end()))),
  }
}

/**
 * Runs `work` under a named advisory lock; if the function only tries and another process has the lock, nothing runs.
 */
async function withLock<T>(coordinator: pg.Pool, take: string, name: string, work: () => Promise<T>): Promise<T> {
  const client = await coordinator.connect()
  const key = `(${lockClass}, hashtext('${name}'))`
  try {
    const { rows } = await client.query<{ taken: boolean | '' }>(`select ${take}${key} as taken`)
    return rows[0]!.taken === false ? (undefined as T) : await work()
  } finally {
    await client.query('select pg_advisory_unlock_all()')
    client.release()
  }
}

function adminOf(url: string): pg.Pool {
  // One connection for a lock, one for a second lock meanwhile, and one for the statement.
  const pool = new pg.Pool({ connectionString: url, max: 3 })
  pool.on('error', () => {})
  return pool
}

/** The machines other than the coordinator; none without the extension. */
async function nodesOf(coordinator: pg.Pool): Promise<{ host: string; port: number }[]> {
  const { rowCount } = await coordinator.query(`select from pg_extension where extname = 'citus'`)
  if (!rowCount) return []
  const { rows } = await coordinator.query<{ host: string; port: number }>(
    `select nodename as host, nodeport as port from pg_dist_node where groupid <> 0 and noderole = 'primary' order by nodeid`,
  )
  return rows
}

async function inDatabase(node: pg.Pool, name: string, ...statements: string[]): Promise<void> {
  const address = new URL(node.options.connectionString!)
  address.pathname = `/${name}`
  const client = new pg.Client({ connectionString: address.href })
  await client.connect()
  for (const statement of statements) await client.query(statement)
  await client.end()
}

const clone = (node: pg.Pool, name: string, template: string, distributed: boolean) =>
  runUnconnected(node, template, `create database ${name} template ${template} ${byFiles}`, distributed)

/** Runs a statement on a database to which no one may be connected; Citus' own backends are ended first. */
async function runUnconnected(node: pg.Pool, name: string, statement: string, distributed: boolean): Promise<void> {
  for (;;)
    try {
      if (distributed)
        await node.query('select pg_terminate_backend(pid) from pg_stat_activity where datname = $1', [name])
      return void (await node.query(statement))
    } catch (error) {
      if (!distributed || (error as { code?: string }).code !== inUse) throw error
      await sleep(50)
    }
}
