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

/** As a process sees it that is told so by a setting of its connections. */
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

test('a database that answers and writes is both', async () => {
  assert.deepEqual(await openHealthCheck(fresh.db)(), { database: true, writable: true })
})

test('one that only reads, or has no room for a file, is not writable', async () => {
  const unwritable = { database: true, writable: false }
  assert.deepEqual(await healthWith('-c default_transaction_read_only=on'), unwritable)
  // What a full disk refuses, refused by a bound.
  assert.deepEqual(await healthWith('-c temp_file_limit=64'), unwritable)
  assert.deepEqual(await healthWith('-c temp_file_limit=10240'), { database: true, writable: true })
})

test('one that is away is neither', async () => {
  const nowhere = openPool('postgres://nobody@127.0.0.1:9/none', 'app', 1)
  assert.deepEqual(await openHealthCheck(openDb(nowhere))(), { database: false, writable: false })
  await nowhere.end()
})

test('however often it is asked, the database is asked once in a while, and leaves nothing behind', async () => {
  const check = openHealthCheck(fresh.db, 200)
  const answers = await Promise.all(Array.from({ length: 50 }, check))
  assert.equal(new Set(answers).size, 1)
  assert.equal(await check(), answers[0])
  await new Promise((resolve) => setTimeout(resolve, 250))
  assert.notEqual(await check(), answers[0])
  const { rows } = await database.owner.query(`select from pg_class where relname ~ '^pg_temp|probe'`)
  assert.equal(rows.length, 0)
})

test('a machine whose clock is set back is asked as often as before', async () => {
  const check = openHealthCheck(fresh.db, 50)
  const first = await check()
  onTestFinished(() => void vi.useRealTimers())
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() - 86_400_000 })
  await eventually(check, (answer) => answer !== first)
})
