import { createHash, randomBytes } from 'node:crypto'
import { readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import type pg from 'pg'
import { openDb, openPool } from '../postgres/pool.ts'
import { migrate } from '../postgres/migrate.ts'
import { startEmbedded } from '../postgres/embedded.ts'
import { outsideTransaction } from '../postgres/scope.ts'
import type { TestServer } from './nodes.ts'
import { openTestServer } from './nodes.ts'
import { watchStatements } from './watched.ts'

/**
 * A migrated database for one test file, quickly cloned from a template and isolated from other files. The server is
 * the one named by CARETAKER_TEST_DATABASE (the test command starts one for all files), else an embedded one for this
 * file.
 */
export interface TestDatabase {
  url: string
  /** For the test itself: its statements are not checked. */
  owner: pg.Pool
  app: pg.Pool
  anonymous: pg.Pool
  idp: pg.Pool
  db: ReturnType<typeof openDb>
  /** For the product: its statements are checked, like those of `app` and `db`. */
  product: Pick<TestDatabase, 'owner' | 'idp' | 'db'> & { anonymousDb: TestDatabase['db'] }
  /** Stops checking statements, for tests that change them. */
  unwatch(): void
  /** Closes the apps that use it, each on its own connection, before it is dropped. */
  users: (() => Promise<unknown>)[]
  drop(): Promise<void>
}

export function testDatabase(): Promise<TestDatabase> {
  return makeDatabase((server, name) => server.clone(name, template))
}

/** A database without schema. The application roles exist, as in every server with a migrated database. */
export function emptyDatabase(): Promise<TestDatabase> {
  return makeDatabase((server, name) => server.create(name))
}

async function makeDatabase(make: (server: TestServer, name: string) => Promise<void>): Promise<TestDatabase> {
  const { url: serverUrl, stop } = await runningServer()
  const server = await openTestServer(serverUrl)
  const name = `test_${randomBytes(6).toString('hex')}`
  await server.locked(template, (coordinator) => makeTemplate(server, coordinator, serverUrl))
  await server.locked(template, () => make(server, name), 'shared')
  const url = withDatabase(serverUrl, name)
  const pools = openPools(url)
  const owner = openPool(url, 'owner', 3)
  const watch = await watchStatements(pools.owner, [pools.app, pools.anonymous, owner])
  return {
    ...pools,
    product: { ...pools.product, owner },
    unwatch: watch.stop,
    drop: async () => {
      await pools.drop()
      await owner.end()
      await server.drop(name)
      await server.close()
      await stop()
      watch.conclude()
    },
  }
}

/** Whether tests use a distributed server, which must already be running. */
export async function isDistributed(): Promise<boolean> {
  const given = process.env.CARETAKER_TEST_DATABASE
  if (!given) return false
  const server = await openTestServer(given)
  await server.close()
  return server.isDistributed
}

/** Opens pools to an existing database; `drop` closes them and keeps the data. */
export function openPools(url: string): TestDatabase {
  const owner = ofTheTest(openPool(url, 'owner', 3))
  const app = openPool(url, 'app', 8)
  const anonymous = openPool(url, 'app', 4)
  const idp = openPool(url, 'idp', 2)
  const db = openDb(app)
  const users: TestDatabase['users'] = []
  return {
    url,
    owner,
    app,
    anonymous,
    idp,
    db,
    product: { owner, idp, db, anonymousDb: openDb(anonymous) },
    unwatch: () => {},
    users,
    drop: async () => {
      await Promise.all(users.map((end) => end()))
      await Promise.all([owner.end(), app.end(), anonymous.end(), idp.end()])
    },
  }
}

/** The test observes from outside, even during a transaction of the product. */
function ofTheTest(pool: pg.Pool): pg.Pool {
  const connect = pool.connect.bind(pool) as (callback?: () => void) => unknown
  pool.connect = ((callback?: () => void) => outsideTransaction(() => connect(callback))) as typeof pool.connect
  return pool
}

/** Named after the migrations and the partitions, so that a long-running server has no outdated template. */
const template = `caretaker_template_${hashOf(path.join(import.meta.dirname, '..', 'migrations'))}`

function hashOf(folder: string): string {
  const hash = createHash('sha256')
  for (const name of readdirSync(folder).sort()) hash.update(name).update(readFileSync(path.join(folder, name)))
  hash.update(readFileSync(path.join(folder, '..', 'postgres', 'partitions.ts')))
  return hash.digest('hex').slice(0, 12)
}

/**
 * Creates the template if it is missing. Checkouts with other migrations may share the server: their templates are
 * dropped only after a day without use. Databases have no creation date, so a comment on each records its last use.
 */
async function makeTemplate(server: TestServer, coordinator: pg.Pool, url: string): Promise<void> {
  const { rows } = await coordinator.query<{ name: string; age: number | null }>(
    `select datname as name, extract(epoch from now())::float8 - shobj_description(oid, 'pg_database')::float8 as age
     from pg_database where datname like 'caretaker\\_template\\_%'`,
  )
  const markUsed = (name: string) =>
    coordinator.query(
      `do $$ begin execute format('comment on database ${name} is %L', extract(epoch from now())); end $$`,
    )
  for (const { name, age } of rows) {
    if (name !== template && age !== null && age > 86_400) await server.dropUnlocked(name)
    // A template without a record counts as used now.
    else if (age === null || (name === template && age > 3600)) await markUsed(name)
  }
  if (rows.some(({ name }) => name === template)) return
  const draft = `${template}_draft`
  await server.drop(draft)
  await server.create(draft)
  const owner = openPool(withDatabase(url, draft), 'owner', 1)
  await migrate(owner)
  await owner.end()
  // Renamed only when it is complete: an interrupted migration leaves no partial template.
  await server.rename(draft, template)
  await markUsed(template)
}

async function runningServer(): Promise<{ url: string; stop(): Promise<void> }> {
  const given = process.env.CARETAKER_TEST_DATABASE
  if (given) return { url: given, stop: async () => {} }
  const folder = path.join(tmpdir(), `caretaker-test-${process.pid}-${randomBytes(3).toString('hex')}`)
  const server = await startEmbedded(folder)
  return {
    url: server.url,
    stop: async () => {
      await server.stop()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

function withDatabase(url: string, name: string): string {
  const changed = new URL(url)
  changed.pathname = `/${name}`
  return changed.href
}
