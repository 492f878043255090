import assert from 'node:assert/strict'
import { afterAll, beforeAll, beforeEach, test } from 'vitest'
import type { TestDatabase } from '../testing/database.ts'
import { testDatabase } from '../testing/database.ts'
import { doDue, makeDue, makeDueSeldom, updateDue, tenantsDue } from './due.ts'
import { openDb } from './pool.ts'
import { outsideTransaction } from './scope.ts'
import { inTenant } from './tenant.ts'

const now = new Date()
const later = new Date(now.getTime() + 60_000)

let database: TestDatabase
beforeAll(async () => {
  database = await testDatabase()
  await database.owner.query(`insert into tenant (id, display_name) values ('north', 'North'), ('south', 'South')`)
})
beforeEach(() => database.owner.query('delete from due; delete from tag'))
afterAll(() => database.drop())

const due = async (at = now) => tenantsDue(database.db, 'forget mails', at)
const make = (tenant: string, at: Date) => inTenant(database.db, tenant, (tx) => makeDue(tx, 'forget mails', at))
const nothing = async () => null

test('work that is due later is not due yet, and the earliest time counts', async () => {
  await make('north', later)
  assert.deepEqual(await due(), [])
  assert.deepEqual(await due(later), ['north'])
  await make('north', now)
  await make('north', later)
  await make('south', now)
  assert.deepEqual(await due(), ['north', 'south'])
})

test('work of a rolled-back transaction is not due', async () => {
  await assert.rejects(
    inTenant(database.db, 'north', async (tx) => {
      await makeDue(tx, 'forget mails', now)
      throw new Error('no')
    }),
  )
  assert.deepEqual(await due(), [])
})

test('work known to be due is not checked again for a while, in this database only', async () => {
  const remember = makeDueSeldom('forget mails', { after: 0, knownFor: 60_000 })
  const another = openDb(database.app)
  const once = (db = database.db) => inTenant(db, 'north', remember)
  await once()
  assert.deepEqual(await due(later), ['north'])
  // The second call finds it committed; only then is it remembered.
  await once()
  await database.owner.query('delete from due')
  await once()
  assert.deepEqual(await due(later), [])
  await once(another)
  assert.deepEqual(await due(later), ['north'])
})

test('a worker that finds nothing left waits for a transaction that creates work, and leaves the work due', async () => {
  await make('north', now)
  const committed = Promise.withResolvers<void>()
  const making = Promise.withResolvers<void>()
  const work = inTenant(database.db, 'north', async (tx) => {
    await tx.insertInto('tag').values({ tenant_id: 'north', id: crypto.randomUUID(), name: 'work' }).execute()
    await makeDue(tx, 'forget mails', now)
    making.resolve()
    await committed.promise
  })
  await making.promise
  // The uncommitted work of the other transaction is not visible to this query yet.
  const finished = updateDue(database.db, 'north', 'forget mails', async (tx) =>
    (await tx.selectFrom('tag').select('id').where('tenant_id', '=', 'north').executeTakeFirst()) ? now : null,
  )
  const waiting = `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
  while (!(await database.owner.query(waiting)).rowCount);
  committed.resolve()
  await Promise.all([work, finished])
  assert.deepEqual(await due(), ['north'])
})

test('work created while a worker is about to record that nothing is left becomes due again', async () => {
  await make('north', now)
  const looking = Promise.withResolvers<void>()
  const looked = Promise.withResolvers<void>()
  const finished = updateDue(database.db, 'north', 'forget mails', async () => {
    looking.resolve()
    await looked.promise
    return null
  })
  await looking.promise
  const made = make('north', now)
  looked.resolve()
  await Promise.all([finished, made])
  assert.deepEqual(await due(), ['north'])
})

test('two transactions that create work at the same time do not wait for each other', async () => {
  await make('north', now)
  await inTenant(database.db, 'north', async (first) => {
    await makeDue(first, 'forget mails', now)
    await outsideTransaction(() => make('north', now))
  })
})

test('a tenant in which the work fails stays due and does not delay the others', async () => {
  await make('north', now)
  await make('south', now)
  const run = async (tenant: string) => {
    if (tenant === 'north') throw new Error('broken')
    return 3
  }
  const failing = doDue(database.db, { work: 'forget mails', now, run, next: nothing })
  await assert.rejects(failing, (error: AggregateError) => (error.errors[0] as Error).message === 'broken')
  assert.deepEqual(await due(), ['north'])
  assert.equal(await doDue(database.db, { work: 'forget mails', now, run: async () => 3, next: nothing }), 3)
  assert.deepEqual(await due(), [])
})
