import { randomBytes } from 'node:crypto'
import { rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import pg from 'pg'
import { openDb, openPool } from '../postgres/pool.ts'
import { migrate } from '../postgres/migrate.ts'
import { startEmbedded } from '../postgres/embedded.ts'

/**
 * A migrated database of a test file's own, cloned from a template: quick, and no file sees another's rows. The server
 * is the one named by CARETAKER_TEST_DATABASE (the test command starts one for all files), else an embedded one for
 * this file.
 */
export interface TestDatabase {
  url: string
  owner: pg.Pool
  app: pg.Pool
  idp: pg.Pool
  db: ReturnType<typeof openDb>
  drop(): Promise<void>
}

const template = 'caretaker_template'

export function testDatabase(): Promise<TestDatabase> {
  return makeDatabase(template)
}

/** One without a schema. The roles of the application are there, as in every server that has a migrated database. */
export function emptyDatabase(): Promise<TestDatabase> {
  return makeDatabase('template0')
}

async function makeDatabase(source: string): Promise<TestDatabase> {
  const server = await testServer()
  const admin = new pg.Pool({ connectionString: server.url, max: 1 })
  admin.on('error', () => {})
  const name = `test_${randomBytes(6).toString('hex')}`
  await admin.query('select pg_advisory_lock(4711)')
  try {
    const { rowCount } = await admin.query('select from pg_database where datname = $1', [template])
    if (!rowCount) await makeTemplate(admin, server.url)
    await admin.query(`create database ${name} template ${source}`)
  } finally {
    await admin.query('select pg_advisory_unlock(4711)')
  }
  const pools = openPools(withDatabase(server.url, name))
  return {
    ...pools,
    drop: async () => {
      await pools.drop()
      await admin.query(`drop database if exists ${name}`)
      await admin.end()
      await server.stop()
    },
  }
}

/** The pools of an existing database; dropping closes them and leaves the data. */
export function openPools(url: string): TestDatabase {
  const owner = openPool(url, 'owner', 3)
  const app = openPool(url, 'app', 8)
  const idp = openPool(url, 'idp', 2)
  return {
    url,
    owner,
    app,
    idp,
    db: openDb(app),
    drop: async () => void (await Promise.all([owner.end(), app.end(), idp.end()])),
  }
}

async function makeTemplate(admin: pg.Pool, url: string): Promise<void> {
  const draft = `${template}_draft`
  await admin.query(`drop database if exists ${draft} with (force)`)
  await admin.query(`create database ${draft}`)
  const owner = openPool(withDatabase(url, draft), 'owner', 1)
  await migrate(owner)
  await owner.end()
  // Named only when it is whole: an interrupted migration leaves no half template behind.
  await admin.query(`alter database ${draft} rename to ${template}`)
}

async function testServer(): Promise<{ url: string; stop(): Promise<void> }> {
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
