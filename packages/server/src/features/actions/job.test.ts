import assert from 'node:assert/strict'
import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, test } from 'vitest'
import { Registry } from 'prom-client'
import type pg from 'pg'
import { getBulkAction, startBulkAction } from '@caretaker/contract/actions.ts'
import { tenantCreateTag } from '@caretaker/contract/tags.ts'
import type { BulkAction } from '@caretaker/rules/actions/actions.ts'
import { jobs, startJobs } from '../../jobs/jobs.ts'
import { openDb, openPool } from '../../postgres/pool.ts'
import type { TestApp } from '../../testing/app.ts'
import { testApp } from '../../testing/app.ts'
import { addDevice } from '../../testing/furnish/devices.ts'
import { doBulkActions } from './job.ts'

const tenant = 'north'
const manager = 'manager@north.test'

let app: TestApp
let tag: string
const pools: pg.Pool[] = []
beforeAll(async () => {
  app = await testApp()
  await app.addTenant(tenant)
  await app.addMember(tenant, manager, 'Manager')
  tag = (await app.send(tenantCreateTag, { body: { tenant, name: 'Tag' } }, manager)).body.data!.id
})
afterEach(() => app.database.owner.query(`delete from bulk_action; delete from device where serial like 'EM9%'`))
afterAll(async () => {
  await Promise.all(pools.map((pool) => pool.end()))
  await app.close()
})

const seed = async (n: number) =>
  (
    await app.database.owner.query<{ id: string }>(
      `insert into device (tenant_id, id, serial, product, name, listing, status, severity)
       select 'north', gen_random_uuid(), 'EM9' || n, 'EM', 'Light ' || n, 'EmergencyLights', 'Ok', 2
       from generate_series(1, $1::int) n returning id`,
      [n],
    )
  ).rows.map((row) => row.id)
const start = async (action: BulkAction, deviceIds: string[], tags: string[] = []) =>
  (await app.send(startBulkAction, { body: { tenant, action, selection: { deviceIds }, tags } }, manager)).body.data!
    .bulkActionId
const look = async (bulkActionId: string) =>
  (await app.send(getBulkAction, { body: { tenant, bulkActionId } }, manager)).body.data!.run
const counted = async (text: string) => (await app.database.owner.query<{ n: number }>(text)).rows[0]!.n
const taggings = () => counted(`select count(*) as n from device_tag`)
const audits = (id: string) =>
  counted(`select count(*) as n from audit_entry where action = 'device tags changed' and subject_id = '${id}'`)

/** The worker, as if in its own process. */
async function worker() {
  const owner = openPool(app.database.url, 'owner', 3)
  const pool = openPool(app.database.url, 'app', 3)
  pools.push(owner, pool)
  const context = { ...app.context, owner, db: openDb(pool), metrics: new Registry() }
  return startJobs(
    context,
    jobs.filter((job) => job.name === 'bulk-actions'),
  )
}

test('the worker processes 6,000 devices as soon as it is notified, in observable steps', async () => {
  const ids = await seed(6000)
  const running = await worker()
  try {
    const id = await start('add tags', ids, [tag])
    const steps = new Set<number>()
    await until(async () => {
      const run = await look(id)
      steps.add(run.done)
      return run.finishedAt !== null
    })
    const run = await look(id)
    assert.deepEqual([run.total, run.done, run.failed], [6000, 6000, 0])
    assert.ok(steps.size > 2, `${[...steps].join()}: progress is visible`)
    assert.equal(await taggings(), 6000)
  } finally {
    await running.stop()
  }
})

test('a worker killed halfway and restarted resumes with what is pending: every device exactly once', async () => {
  const ids = await seed(1500)
  const id = await start('flick test', ids)
  // The first process dies in its third batch; its uncommitted work is lost.
  const pool = openPool(app.database.url, 'app', 1)
  const db = openDb(pool)
  let batches = 0
  const dying = doBulkActions({
    db: Object.assign(Object.create(db), {
      transaction: () => ({
        execute: (work: (tx: never) => Promise<unknown>) =>
          db.transaction().execute(async (tx) => {
            const result = await work(tx as never)
            if (result === 200 && ++batches === 3)
              await app.database.owner.query(
                `select pg_terminate_backend(pid) from pg_stat_activity
                 where datname = current_database() and application_name = 'caretaker-app' and state = 'idle in transaction'`,
              )
            return result
          }),
      }),
      selectFrom: db.selectFrom.bind(db),
    }) as typeof db,
    log: app.context.log,
  })
  await dying.catch(() => {})
  await pool.end()
  const middle = await look(id)
  assert.ok(middle.done >= 400, `${middle.done}`)

  const running = await worker()
  try {
    await until(async () => (await look(id)).finishedAt !== null)
  } finally {
    await running.stop()
  }
  const run = await look(id)
  assert.deepEqual([run.done, run.failed], [1500, 0])
  assert.equal(await counted(`select count(*) as n from command where name = 'runTest'`), 1500)
  assert.equal(await counted(`select count(distinct device_id) as n from command where name = 'runTest'`), 1500)
})

test('an action started while no worker was running is found at the next start', async () => {
  const id = await start('add tags', await seed(10), [tag])
  const running = await worker()
  try {
    await until(async () => (await look(id)).finishedAt !== null)
  } finally {
    await running.stop()
  }
  assert.equal((await look(id)).done, 10)
})

test('two workers share the devices and never process the same one', async () => {
  const ids = await seed(2000)
  const id = await start('add tags', ids, [tag])
  const counts = await Promise.all([1, 2, 3].map(() => doBulkActions(app.context)))
  assert.equal(
    counts.reduce((sum, count) => sum + count),
    2000,
  )
  assert.deepEqual([(await look(id)).done, await taggings()], [2000, 2000])
  for (const device of [ids[0]!, ids[999]!, ids[1999]!]) assert.equal(await audits(device), 1)
})

test('a stopped worker stops between two batches and leaves the rest pending', async () => {
  const id = await start('add tags', await seed(1000), [tag])
  const stopping = new AbortController()
  stopping.abort()
  assert.equal(await doBulkActions(app.context, stopping.signal), 0)
  assert.equal((await look(id)).done, 0)
  assert.equal(await doBulkActions(app.context), 1000)
})

test('a long action does not block a short one', async () => {
  const long = await start('add tags', await seed(1000), [tag])
  const short = await start('flick test', [await addDevice(app, tenant)])
  const { done } = await new Promise<{ done: number }>((resolve, reject) => {
    const stopping = new AbortController()
    const watch = async () => {
      await until(async () => (await look(short)).finishedAt !== null)
      stopping.abort()
      return look(long)
    }
    void doBulkActions(app.context, stopping.signal).catch(reject)
    watch().then(resolve, reject)
  })
  assert.ok(done < 1000, `${done}`)
  await until(async () => {
    await doBulkActions(app.context)
    return (await look(long)).finishedAt !== null
  })
})

test('a device that cannot be processed fails alone', async () => {
  const ids = await seed(5)
  await app.database.owner.query(`alter table device_tag add constraint broken check (device_id <> '${ids[2]}')`)
  const id = await start('add tags', ids, [tag])
  await doBulkActions(app.context)
  await app.database.owner.query('alter table device_tag drop constraint broken')
  const { data } = (await app.send(getBulkAction, { body: { tenant, bulkActionId: id } }, manager)).body
  assert.deepEqual([data!.run.done, data!.run.failed], [4, 1])
  assert.deepEqual([data!.failures[0]!.deviceId, data!.failures[0]!.message], [ids[2], 'Something went wrong!'])
})

async function until(condition: () => Promise<boolean>): Promise<void> {
  const deadline = Date.now() + 120_000
  while (!(await condition())) {
    if (Date.now() > deadline) throw new Error(`never came true: ${String(condition)}`)
    await delay(20)
  }
}
