import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, test } from 'vitest'
import type { TestDatabase } from '../testing/database.ts'
import { testDatabase } from '../testing/database.ts'
import { openBulletin } from './bulletin.ts'

let database: TestDatabase
beforeAll(async () => (database = await testDatabase()))
afterAll(() => database.drop())

test('a bulletin that is stopped while it reconnects leaves no connection behind', async () => {
  const name = 'caretaker-bulletin-test'
  const again = Promise.withResolvers<void>()
  const held = Promise.withResolvers<void>()
  let opened = 0
  const bulletin = await openBulletin({
    pool: database.owner,
    name,
    channels: ['bulletin_test'],
    onNotification: () => {},
    onOpen: async () => {
      if (++opened < 2) return
      again.resolve()
      await held.promise
    },
  })
  const connections = async (change: 'pid' | 'pg_terminate_backend(pid)') =>
    (await database.owner.query(`select ${change} from pg_stat_activity where application_name = $1`, [name])).rowCount
  assert.equal(await connections('pg_terminate_backend(pid)'), 1)
  await again.promise
  assert.equal(await connections('pid'), 1)
  await bulletin.stop()
  held.resolve()
  for (let tries = 0; (await connections('pid')) !== 0; tries++) {
    assert.ok(tries < 100, 'the connection is still open')
    await sleep(20)
  }
})
