import assert from 'node:assert/strict'
import { afterAll, beforeAll, test } from 'vitest'
import type { TestDatabase } from '../testing/database.ts'
import { testDatabase } from '../testing/database.ts'
import { outsideTransaction } from './scope.ts'
import { asPerson, inTenant, inTransaction } from './tenant.ts'

let database: TestDatabase
beforeAll(async () => {
  database = await testDatabase()
})
afterAll(() => database.drop())

const nested = { message: /A second connection \((app|owner|idp)\) was asked for within a transaction/ }
const tenants = () => database.db.selectFrom('tenant').select('id').execute()

test('within a transaction no pool gives a second connection, however it is requested', async () => {
  const { db, product } = database
  const seconds: Record<string, () => Promise<unknown>> = {
    'a statement': tenants,
    'a transaction': () => inTenant(db, 'north', async () => {}),
    'another pool': () => product.owner.query('select 1'),
    'a client of a pool': () => product.owner.connect(),
    'the connections of anonymous calls': () => product.anonymousDb.selectFrom('tenant').select('id').execute(),
    "the identity provider's pool": () => product.idp.query('select 1'),
  }
  for (const [what, second] of Object.entries(seconds)) {
    await assert.rejects(inTenant(db, 'north', second), nested, what)
    await assert.rejects(asPerson(db, crypto.randomUUID(), second), nested, what)
    await assert.rejects(inTransaction(db, second), nested, what)
    await assert.rejects(
      inTenant(db, 'north', async () => Promise.all([1, 2].map(async () => second()))),
      nested,
      `${what}, in parallel`,
    )
  }
})

test('after a transaction, committed or not, and outside of it connections are given again', async () => {
  const { db } = database
  const later = await inTenant(db, 'north', async () => tenants)
  assert.deepEqual(await later(), [])
  const failed = inTenant(db, 'north', async () => {
    throw new Error('refused')
  })
  await assert.rejects(failed, /refused/)
  assert.deepEqual(await tenants(), [])
  assert.deepEqual(await inTenant(db, 'north', () => outsideTransaction(tenants)), [])
  // Work that was started within a transaction and continues after it gets its own connection.
  let wake = () => {}
  const woken = new Promise<void>((resolve) => (wake = resolve))
  const { going } = await inTenant(db, 'north', async () => ({ going: woken.then(tenants) }))
  wake()
  assert.deepEqual(await going, [])
})
