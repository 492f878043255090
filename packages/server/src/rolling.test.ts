import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { afterAll, test } from 'vitest'
import type { Kysely } from 'kysely'
import { sql } from 'kysely'
import { connectAsync } from 'mqtt'
import { topic } from '@caretaker/contract/mqtt/topics.ts'
import { getSession } from '@caretaker/contract/session.ts'
import { tenantCreateTag } from '@caretaker/contract/tags.ts'
import { getTenantInfo } from '@caretaker/contract/tenants.ts'
import { concurrentIndex } from './migrations/concurrent-index.ts'
import { migrations } from './migrations/index.ts'
import { tenantTable } from './migrations/tenant-table.ts'
import { migrate } from './postgres/migrate.ts'
import { baseline, squashed } from './postgres/squashed.ts'
import type { TestDatabase } from './testing/database.ts'
import { emptyDatabase, testDatabase } from './testing/database.ts'
import { eventually, hashKey } from './testing/device-link.ts'
import { startMosquitto, withoutMosquitto } from './testing/mosquitto.ts'
import { freePort } from './testing/ports.ts'
import { programUnderTest } from './testing/program.ts'
import { makeAccount, requireNoSecondFactor, signInAs } from './testing/sign-in.ts'
import { skipBecause } from './testing/skipping.ts'

const own = programUnderTest(new URL('./main.ts', import.meta.url))
const { settings, start } = own

/** A possible later version: everything that 'expand' allows, on tables that people and devices write meanwhile. */
const next = {
  '9998-next-version': {
    up: async (db: Kysely<unknown>) => {
      await sql`alter table tag add column colour text, add column weight int not null default 0`.execute(db)
      await tenantTable(db, { name: 'next_thing', columns: 'id uuid not null, primary key (tenant_id, id)' })
    },
  },
  '9999-next-index': {
    transaction: false,
    up: (db: Kysely<unknown>) => concurrentIndex(db, 'tag_next', 'on tag (tenant_id, weight)'),
  },
}

/** Makes calls continuously, several at a time, to the address in service; collects each failure. */
function callers(token: string, address: () => string) {
  const failures: string[] = []
  const tags: string[] = []
  let going = true
  let calls = 0
  const post = async (path: string, body: object) => {
    const at = address()
    const fault = await fetch(at + path, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ tenant: 'north', ...body }),
    }).then(
      async (answer) => (answer.ok ? '' : `${answer.status} ${await answer.text()}`),
      (error: Error) => `${error.message} ${String(error.cause)}`,
    )
    calls++
    if (fault) failures.push(`${at}${path}: ${fault}`)
    return fault === ''
  }
  const run = async () => {
    while (going) {
      const name = randomUUID().replaceAll('-', '').slice(0, 18)
      if (await post(tenantCreateTag.path, { name })) tags.push(name)
      await post(getTenantInfo.path, {})
    }
  }
  const running = Promise.all(Array.from({ length: 3 }, run))
  return {
    failures,
    tags,
    calls: () => calls,
    stop: () => {
      going = false
      return running
    },
  }
}

/** Adds a client, its manager and a device to the database of the pools: everything that the load needs. */
async function furnish({ owner, db }: TestDatabase, person: string): Promise<string> {
  const device = randomUUID()
  await owner.query(`insert into tenant (id, display_name) values ('north', 'North')`)
  await requireNoSecondFactor({ owner }, 'north')
  await db.transaction().execute(async (tx) => {
    await sql.raw(`set local citus.propagate_set_commands = 'local'; set local app.tenant = 'north'`).execute(tx)
    const member = randomUUID()
    await sql`insert into membership (tenant_id, id, email, name, role, tag_ids)
      values ('north', ${member}, ${person}, 'Ann', 'Manager', '{}')`.execute(tx)
    await sql`insert into invitation (tenant_id, membership_id, email) values ('north', ${member}, ${person})`.execute(
      tx,
    )
  })
  await owner.query(
    `insert into device (tenant_id, id, serial, product, name, status, severity, reporting_interval)
     values ('north', $1, 'ED1', 'ED', 'A device', 'Ok', 2, 900)`,
    [device],
  )
  await owner.query(
    `insert into device_route (device_id, tenant_id, key_hash, reporting_interval) values ($1, 'north', $2, 900)`,
    [device, hashKey('key')],
  )
  return device
}

type Program = ReturnType<typeof programUnderTest>

interface Update {
  database: TestDatabase
  /** The former program, on the schema that it knows. */
  before: Program
  /** Migrates the schema while the former program runs. */
  expand(): Promise<void>
  /** The message with which the former program refuses to start on the new schema. */
  tooNew: RegExp
  /** Runs right before the newer program starts. */
  contract?(): Promise<unknown>
}

/**
 * Calls and readings continue while the schema is migrated and one program takes over from another; nothing fails,
 * nothing is lost.
 */
async function update({ database, before: former, expand, tooNew, contract }: Update): Promise<void> {
  const { owner } = database
  // Stopped in reverse order after any failure, because the database can only be closed when nothing uses it.
  await using running = new AsyncDisposableStack()
  const broker = await startMosquitto()
  running.defer(() => broker.stop())
  const person = 'ann@north.test'
  const device = await furnish(database, person)
  const port = await freePort('localhost')
  const origin = `http://localhost:${port}`
  const shared = { DATABASE_URL: database.url, MQTT_URL: broker.url, CARETAKER_ORIGIN: origin, HOST: 'localhost' }
  // One caller and one device represent many.
  const rates = { CARETAKER_RATE_LIMIT: '1000000', CARETAKER_DEVICE_MESSAGES: '1000000', CARETAKER_DEVICE_MB: '1000' }
  const before = await former.start(await settings({ ...shared, ...rates, PORT: String(port) }))
  running.defer(async () => void (await before.stop()))
  assert.match(before.startupOutput, /is ready/, before.errorOutput())
  await makeAccount(database, person, 'a long pass phrase')
  const { tokens } = await signInAs(origin, { email: person, password: 'a long pass phrase' })
  const session = await fetch(origin + getSession.path, {
    headers: { authorization: `Bearer ${tokens.access_token}` },
  })
  assert.equal(session.status, 200)

  let inService = origin
  let sending = true
  const load = callers(tokens.access_token, () => inService)
  const sender = await connectAsync(broker.url, { clientId: device })
  const base = Date.now() - 3_000_000
  let sent = 0
  const readings = (async () => {
    while (sending) {
      const reading = { ts: base + sent, values: { temperature: 20 } }
      await sender.publishAsync(topic(device, 'telemetry'), JSON.stringify(reading), { qos: 1 })
      sent++
    }
  })()
  const stopLoad = async () => {
    sending = false
    await Promise.all([load.stop(), readings])
    sender.end()
  }
  running.defer(stopLoad)
  const more = (by: number) => {
    const [calls, messages] = [load.calls(), sent]
    return eventually(
      async () => [load.calls() - calls, sent - messages],
      ([called, reported]) => (called! >= by && reported! >= by) || load.failures.length > 0,
      60_000,
    )
  }
  await more(30)

  await expand()
  await more(30)
  const free = await freePort('localhost')
  const overrides = { ...shared, ...rates, PORT: String(free) }
  await former.fails(await settings(overrides), tooNew)

  // A process that knows the schema takes over.
  await contract?.()
  const later = await start(await settings(overrides))
  running.defer(async () => void (await later.stop()))
  assert.match(later.startupOutput, /is ready/, later.errorOutput())
  await more(10)
  inService = `http://localhost:${free}`
  await more(10)
  assert.equal(await before.stop(), 0, before.errorOutput())
  await more(30)

  await stopLoad()
  assert.deepEqual(load.failures, [])
  const stored = async () =>
    (
      await owner.query<{ n: number; times: number; summed: number }>(
        `select count(*)::int as n, count(distinct at)::int as times,
           (select sum(hourly.n)::int from hourly where hourly.tenant_id = 'north') as summed
         from point where tenant_id = 'north'`,
      )
    ).rows[0]!
  assert.ok(sent > 100 && load.calls() > 100)
  await eventually(stored, ({ n }) => n >= sent)
  assert.deepEqual(await stored(), { n: sent, times: sent, summed: sent })
  const { rows } = await owner.query<{ name: string }>(`select name from tag where tenant_id = 'north'`)
  const names = new Set(rows.map(({ name }) => name))
  assert.deepEqual(
    load.tags.filter((name) => !names.has(name)),
    [],
  )
  assert.equal(await later.stop(), 0, later.errorOutput())
}

test(
  'an update under load, with the schema first and then one process after the other, fails no call and loses no reading',
  skipBecause(withoutMosquitto),
  async () => {
    const database = await testDatabase()
    afterAll(() => database.drop())
    const { owner } = database
    await update({
      database,
      before: own,
      // The schema of the next version, under the processes of this one.
      expand: async () => {
        const applied = await migrate(owner, { migrations: { ...migrations, ...next } })
        assert.deepEqual(applied, Object.keys(next))
      },
      tooNew: /too new .*9998-next-version/,
      // Like those of the next version, the program knows this schema.
      contract: () => owner.query(`delete from kysely_migration where name like '999%'`),
    })
  },
)

const root = fileURLToPath(new URL('../../..', import.meta.url))
const git = (...args: string[]) => spawnSync('git', args, { cwd: root, encoding: 'utf8', maxBuffer: 1e9 })

const lock = 'packages/server/src/migrations/lock.json'
type Locked = Record<string, string>

/** For code from before the baseline, whose migrations were squashed into it, the lock is that of the baseline. */
function lockedAt(commit: string, now: Locked): Locked {
  const locked = JSON.parse(git('show', `${commit}:${lock}`).stdout || '{}') as Locked
  const former = squashed.map((name) => `${name}.ts`)
  if (!former.every((name) => name in locked)) return locked
  const kept = Object.entries(locked).filter(([name]) => !former.includes(name))
  const ofBaseline = Object.entries(now).filter(([name]) => name.startsWith('baseline-') || name === `${baseline}.ts`)
  return Object.fromEntries([...kept, ...ofBaseline])
}

/**
 * The newest code that knew some of today's migrations unchanged, from which an installation may be updated; or why
 * there is none here. A commit whose migrations were changed later, or preceded by others, was never released.
 */
function formerCommit(): { commit: string } | { reason: string } {
  const now = JSON.parse(readFileSync(path.join(root, lock), 'utf8')) as Locked
  const changes = git('log', '--first-parent', '--format=%H', '--', lock).stdout?.split('\n').filter(Boolean) ?? []
  if (changes.length === 0) return { reason: 'there is no git history here' }
  const commit = changes
    .map((change) => git('rev-parse', '--verify', '--quiet', `${change}^`).stdout.trim())
    .find((parent) => parent && isPart(lockedAt(parent, now), now))
  if (!commit) return { reason: 'the git history does not reach back to former migrations (a shallow clone)' }
  return { commit }
}

function isPart(some: Locked, all: Locked): boolean {
  const names = Object.keys(some)
  const numbered = (of: Locked) =>
    Object.keys(of)
      .filter((name) => /^\d/.test(name))
      .sort()
  const inOrder = numbered(all)
  return (
    names.length > 0 &&
    names.length < Object.keys(all).length &&
    names.every((name) => some[name] === all[name]) &&
    numbered(some).every((name, at) => name === inOrder[at])
  )
}

/** The code of a commit with the currently installed packages and placeholder pages. */
function formerTree(commit: string): string {
  const tree = mkdtempSync(path.join(tmpdir(), 'caretaker-former-'))
  afterAll(() => rmSync(tree, { recursive: true, force: true }))
  const archive = spawnSync('git', ['archive', commit], { cwd: root, maxBuffer: 1e9 })
  assert.equal(archive.status, 0, String(archive.stderr))
  assert.equal(spawnSync('tar', ['-x', '-C', tree], { input: archive.stdout }).status, 0)
  const installed = path.join(root, 'node_modules')
  mkdirSync(path.join(tree, 'node_modules/@caretaker'), { recursive: true })
  for (const name of readdirSync(installed).filter((one) => one !== '@caretaker'))
    symlinkSync(path.join(installed, name), path.join(tree, 'node_modules', name))
  for (const name of readdirSync(path.join(tree, 'packages')))
    symlinkSync(path.join(tree, 'packages', name), path.join(tree, 'node_modules/@caretaker', name))
  mkdirSync(path.join(tree, 'packages/web/dist'), { recursive: true })
  writeFileSync(path.join(tree, 'packages/web/dist/index.html'), '<title>Caretaker</title>')
  return tree
}

test(
  'the released code from before the newest migrations runs next to the newest code while the real migrations are applied; no call fails, no reading is lost',
  skipBecause(withoutMosquitto),
  async (t) => {
    const former = formerCommit()
    if ('reason' in former) return t.skip(former.reason)
    const tree = formerTree(former.commit)
    const database = await emptyDatabase()
    afterAll(() => database.drop())
    const operator = path.join(tree, 'packages/server/src/cli/main.ts')
    const env = { ...process.env, DATABASE_URL: database.url, CARETAKER_DATA: path.join(tree, 'data') }
    const migrated = spawnSync(process.execPath, [operator, 'migrate'], { env, encoding: 'utf8' })
    assert.equal(migrated.status, 0, migrated.stderr)
    await update({
      database,
      before: programUnderTest(pathToFileURL(path.join(tree, 'packages/server/src/main.ts'))),
      expand: async () => assert.notDeepEqual(await migrate(database.owner), []),
      tooNew: /too new/,
    })
  },
)
