import assert from 'node:assert/strict'
import { afterAll, beforeAll, test } from 'vitest'
import type { Kysely } from 'kysely'
import { sql } from 'kysely'
import { concurrentIndex } from '../migrations/concurrent-index.ts'
import type { Migration } from '../migrations/index.ts'
import { migrations } from '../migrations/index.ts'
import { SettingError } from '../config.ts'
import type { TestDatabase } from '../testing/database.ts'
import { emptyDatabase, testDatabase } from '../testing/database.ts'
import { eventually } from '../testing/device-link.ts'
import { checkSchema, migrate, prepareSchema } from './migrate.ts'

let database: TestDatabase
beforeAll(async () => {
  database = await testDatabase()
})
afterAll(() => database.drop())

const statement = (text: string) => async (db: Kysely<unknown>) => void (await sql.raw(text).execute(db))
const further = (more: Record<string, Migration>) => ({ migrations: { ...migrations, ...more } })
const names = async () =>
  (await database.owner.query<{ name: string }>('select name from kysely_migration order by name')).rows.map(
    ({ name }) => name,
  )
const exists = async (name: string) =>
  (await database.owner.query<{ found: boolean }>('select to_regclass($1) is not null as found', [name])).rows[0]!.found

/** Removes a test's additional migrations from the database. */
async function forget(...statements: string[]): Promise<void> {
  for (const text of statements) await database.owner.query(text)
  await database.owner.query(`delete from kysely_migration where name >= '9'`)
}

test('a database at the newest schema is left unchanged', async () => {
  await checkSchema(database.owner)
  assert.deepEqual(await migrate(database.owner), [])
  assert.deepEqual(await names(), Object.keys(migrations))
})

test('an empty, too old or too new database is rejected, with advice on what to do', async () => {
  const empty = await emptyDatabase()
  try {
    await assert.rejects(checkSchema(empty.owner), /is empty: run "npm run caretaker -- migrate"/)
    await assert.rejects(prepareSchema(empty.owner, false), SettingError)
    assert.equal((await empty.owner.query(`select from pg_class where relname = 'tenant'`)).rowCount, 0)
    await prepareSchema(empty.owner, true)
    await checkSchema(empty.owner)
  } finally {
    await empty.drop()
  }
  const newest = Object.keys(migrations).at(-1)!
  await database.owner.query('delete from kysely_migration where name = $1', [newest])
  await assert.rejects(checkSchema(database.owner), new RegExp(`too old .*${newest} missing.*caretaker -- migrate`))
  await database.owner.query(`insert into kysely_migration values ($1, ''), ('9999-later', '')`, [newest])
  await assert.rejects(checkSchema(database.owner), /too new .*9999-later unknown/)
  await assert.rejects(migrate(database.owner), /too new .*9999-later unknown/)
  await forget()
  const [first] = Object.keys(migrations)
  await database.owner.query('delete from kysely_migration where name = $1', [first])
  await assert.rejects(migrate(database.owner), new RegExp(`without ${first} before it`))
  await database.owner.query(`insert into kysely_migration values ($1, '')`, [first])
})

test('each migration is a transaction: earlier ones stay when one fails, and nothing of the failed one does', async () => {
  const failing = further({
    '9001-good': { up: statement('create table good ()') },
    '9002-bad': { up: statement('create table bad (); select 1 / 0') },
  })
  await assert.rejects(migrate(database.owner, failing), /division by zero/)
  assert.deepEqual([await exists('good'), await exists('bad')], [true, false])
  assert.deepEqual(await names(), [...Object.keys(migrations), '9001-good'])
  await forget('drop table good')
})

test('a migration does not block calls for long: it gives way, reports it, and retries', async () => {
  const wanted = further({ '9001-column': { up: statement('alter table building add column colour text') } })
  const client = await database.owner.connect()
  const lines: string[] = []
  try {
    await client.query('begin; lock table building in access share mode')
    const twice = { ...wanted, lockTimeout: 50, attempts: 2, report: (line: string) => void lines.push(line) }
    await assert.rejects(migrate(database.owner, twice), (error) => {
      assert.ok(error instanceof SettingError)
      assert.match(error.message, /9001-column cannot be applied: others hold locks.*Nothing was applied/)
      return true
    })
    assert.deepEqual(lines, ['9001-column waits: others hold locks on its tables (attempt 1 of 2)'])
    assert.ok(!(await names()).includes('9001-column'))
    // The other transaction ends during the wait.
    const applied = await migrate(database.owner, {
      ...twice,
      attempts: 100,
      report: () => void client.query('rollback').catch(() => {}),
    })
    assert.deepEqual(applied, ['9001-column'])
  } finally {
    client.release(true)
  }
  await forget('alter table building drop column colour')
})

test('a migration that deadlocks gives way and retries', async () => {
  await database.owner.query(`insert into tenant (id, display_name) values ('north', 'North')`)
  await database.owner.query(`insert into due (work, tenant_id, due_at) values ('settle homes', 'north', now())`)
  const wanted = further({
    '9001-column': { up: statement('alter table building add column colour text; update due set due_at = now()') },
  })
  const client = await database.owner.connect()
  const lines: string[] = []
  try {
    // Postgres aborts the transaction that detects the deadlock first: make it the migration.
    await client.query(`begin; set local deadlock_timeout = '1min'; select from due for update`)
    const waiting = `select from pg_stat_activity where wait_event_type = 'Lock' and query like '%colour%'`
    const other = eventually(
      async () => (await database.owner.query(waiting)).rowCount,
      (count) => count === 1,
    ).then(() => client.query('select from building; commit'))
    const applied = await migrate(database.owner, {
      ...wanted,
      report: (line) => void lines.push(line),
      lockTimeout: 2000,
    })
    await other
    assert.deepEqual(applied, ['9001-column'])
    assert.equal(lines.length, 1)
  } finally {
    client.release(true)
  }
  await forget('alter table building drop column colour', `delete from tenant where id = 'north'`)
})

test('an index is built without blocking writers, and rebuilt after an interrupted build', async () => {
  const build: Migration = {
    transaction: false,
    up: (db) => concurrentIndex(db, 'tag_again', 'on tag (tenant_id, name)'),
  }
  await database.owner.query(`insert into tenant (id, display_name) values ('north', 'north')`)
  await database.owner.query(
    `insert into tag (tenant_id, id, name) select 'north', gen_random_uuid(), name from unnest('{one,two}'::text[]) name`,
  )
  // As an interrupted build leaves it: a unique index over duplicate values.
  await database.owner.query(`create unique index concurrently tag_again on tag (tenant_id)`).catch(() => {})
  const validity = async () =>
    (await database.owner.query(`select indisvalid from pg_index where indexrelid = to_regclass('tag_again')`)).rows
  assert.deepEqual(await validity(), [{ indisvalid: false }])
  // Two processes at once: the waiting one must not block the index build.
  const applied = await Promise.all([
    migrate(database.owner, further({ '9001-index': build })),
    migrate(database.owner, further({ '9001-index': build })),
  ])
  assert.deepEqual(applied.flat(), ['9001-index'], 'one of them did it')
  assert.deepEqual(await validity(), [{ indisvalid: true }])
  await forget('drop index tag_again')
})
