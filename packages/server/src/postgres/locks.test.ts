import assert from 'node:assert/strict'
import { afterAll, beforeAll, test } from 'vitest'
import type { TestDatabase } from '../testing/database.ts'
import { testDatabase } from '../testing/database.ts'
import { eventually } from '../testing/device-link.ts'
import { inOneProcess, locks } from './locks.ts'

let database: TestDatabase
beforeAll(async () => {
  database = await testDatabase()
})
afterAll(() => database.drop())

/** Several processes competing for a lock: which of them run now, and which started, in order. */
function contenders() {
  const doing = new Set<string>()
  const begun: string[] = []
  const start = (name: string) => () => {
    doing.add(name)
    begun.push(name)
    return async () => void doing.delete(name)
  }
  return {
    add: (name: string) =>
      inOneProcess({
        pool: database.owner,
        name: `test-${name}`,
        lock: locks.player,
        every: 50,
        start: start(name),
      }),
    now: async () => ({ doing: [...doing], begun: begun.length }),
  }
}

const lose = (name: string) =>
  database.owner.query('select pg_terminate_backend(pid) from pg_stat_activity where application_name = $1', [
    `test-${name}`,
  ])

test('one of several processes runs the work; when it ends or loses the database, another takes over', async () => {
  const { add, now } = contenders()
  const stops = { first: await add('first'), second: await add('second') }
  assert.deepEqual(await now(), { doing: ['first'], begun: 1 })
  // The connection that holds the lock ends, as when a process is killed.
  await lose('first')
  const { doing } = await eventually(now, ({ doing, begun }) => begun === 2 && doing.length === 1)
  const holder = doing[0] as keyof typeof stops
  const other = holder === 'first' ? 'second' : 'first'
  await stops[holder]()
  assert.deepEqual(await eventually(now, ({ begun }) => begun === 3), { doing: [other], begun: 3 })
  await stops[other]()
  assert.deepEqual(await now(), { doing: [], begun: 3 })
})
