import assert from 'node:assert/strict'
import { afterAll, beforeAll, onTestFinished, test, vi } from 'vitest'
import type { TestDatabase } from '../testing/database.ts'
import { openPools, testDatabase } from '../testing/database.ts'
import { eventually } from '../testing/device-link.ts'
import { openDb, openPool } from './pool.ts'
import { openHealthCheck } from './writable.ts'

let database: TestDatabase
let fresh: TestDatabase
beforeAll(async () => {
  database = await testDatabase()
  fresh = openPools(database.url)
})
afterAll(async () => {
  await fresh.drop()
  await database.drop()
})

/** The health as seen by a process whose connections have this setting. */
async function healthWith(setting: string) {
  const url = new URL(database.url)
  url.searchParams.set('options', setting)
  const pool = openPool(url.href, 'owner', 1)
  try {
    return await openHealthCheck(openDb(pool))()
  } finally {
    await pool.end()
  }
}

test('a database that responds and writes is up and writable', async () => {
  assert.deepEqual(await openHealthCheck(fresh.db)(), { database: true, writable: true })
})

test('a database that is read-only or has no room for a file is not writable', async () => {
  const unwritable = { database: true, writable: false }
  assert.deepEqual(await healthWith('-c default_transaction_read_only=on'), unwritable)
  // A limit on temporary files fails in the same way as a full disk.
  assert.deepEqual(await healthWith('-c temp_file_limit=64'), unwritable)
  assert.deepEqual(await healthWith('-c temp_file_limit=10240'), { database: true, writable: true })
})

test('a full disk is named', async () => {
  const raise = `begin raise exception 'could not extend file' using errcode = '53100'; end`
  await database.owner.query(`create schema broken;
    create function broken.md5(text) returns text language plpgsql as $$ ${raise} $$;
    grant usage on schema broken to public`)
  const full = { database: true, writable: false, diskFull: true }
  assert.deepEqual(await healthWith('-c search_path=broken,pg_catalog'), full)
})

test('an unreachable database is neither up nor writable', async () => {
  const nowhere = openPool('postgres://nobody@127.0.0.1:9/none', 'app', 1)
  assert.deepEqual(await openHealthCheck(openDb(nowhere))(), { database: false, writable: false })
  await nowhere.end()
})

test('however often it is called, the database is checked only periodically, and nothing is left behind', async () => {
  const check = openHealthCheck(fresh.db, 200)
  const answers = await Promise.all(Array.from({ length: 50 }, check))
  assert.equal(new Set(answers).size, 1)
  assert.equal(await check(), answers[0])
  await new Promise((resolve) => setTimeout(resolve, 250))
  assert.notEqual(await check(), answers[0])
  const { rows } = await database.owner.query(`select from pg_class where relname ~ '^pg_temp|probe'`)
  assert.equal(rows.length, 0)
})

test('the check continues at its interval when the system clock is set back', async () => {
  const check = openHealthCheck(fresh.db, 50)
  const first = await check()
  onTestFinished(() => void vi.useRealTimers())
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() - 86_400_000 })
  await eventually(check, (answer) => answer !== first)
})
