import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, test } from 'vitest'
import pg from 'pg'
import type { TestDatabase } from '../testing/database.ts'
import { testDatabase } from '../testing/database.ts'
import { openRunLeases } from './run-leases.ts'

let database: TestDatabase
beforeAll(async () => {
  database = await testDatabase()
})
/** Cleanup that a failed test has left. */
const left: (() => Promise<void>)[] = []
afterAll(async () => {
  await Promise.all(left.map((end) => end()))
  await database.drop()
})

/** A process whose connection can be lost and reopened. */
async function worker() {
  const inHand = openRunLeases()
  let client: pg.Client
  const open = async () => {
    client = new pg.Client({ connectionString: database.url })
    await client.connect()
    await inHand.onOpen(client)
  }
  const lose = async () => {
    inHand.onLost()
    const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid')
    await client.end()
    // The database releases its locks a moment later.
    const isThere = 'select from pg_stat_activity where pid = $1'
    while ((await database.owner.query(isThere, [rows[0]!.pid])).rowCount) await sleep(10)
  }
  await open()
  left.push(() => client.end())
  return { inHand, open, lose, look: () => inHand.gone(database.owner) }
}
const known = async () =>
  (await database.owner.query<{ number: number }>('select number from claimant')).rows.map((row) => row.number)

test('a process counts as gone after two checks in a row without a connection, and is then removed', async () => {
  const [one, other] = [await worker(), await worker()]
  const number = one.inHand.claimant()!
  assert.deepEqual(new Set(await known()), new Set([number, other.inHand.claimant()!]))
  assert.deepEqual([await other.look(), await other.look()], [[], []])
  await one.lose()
  assert.deepEqual(await other.look(), [])
  await one.open()
  assert.deepEqual(await other.look(), [])
  await one.lose()
  assert.deepEqual([await other.look(), await other.look()], [[], [number]])
  // It came back before it was removed.
  await one.open()
  await other.inHand.forget(database.owner, [number])
  assert.ok((await known()).includes(number))
  await one.lose()
  await other.inHand.forget(database.owner, [number])
  assert.deepEqual(await known(), [other.inHand.claimant()])
  // A process that counted as gone is live again as soon as it has a connection.
  await one.open()
  assert.ok((await known()).includes(number))
  for (const { inHand, lose } of [one, other]) {
    await inHand.leave()
    await lose()
  }
  assert.deepEqual(await known(), [])
})

test('a process without a connection claims under no number and considers no other process gone', async () => {
  const [one, other] = [await worker(), await worker()]
  await other.lose()
  assert.equal(other.inHand.claimant(), null)
  await one.lose()
  for (let looks = 0; looks < 3; looks++) assert.deepEqual(await other.look(), [])
  // Its checks without a connection do not count.
  await other.open()
  assert.deepEqual(await other.look(), [])
  assert.equal((await other.look()).length, 1)
  await other.lose()
})

test('a process that stops during a run leaves its claims to others', async () => {
  await database.owner.query('delete from claimant')
  const [one, other] = [await worker(), await worker()]
  const number = one.inHand.claimant()!
  void one.inHand.hold(crypto.randomUUID(), () => new Promise(() => {}))
  await one.inHand.leave()
  await one.lose()
  assert.deepEqual([await other.look(), await other.look()], [[], [number]])
  await other.lose()
})
