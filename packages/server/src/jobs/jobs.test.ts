import assert from 'node:assert/strict'
import { setTimeout as delay } from 'node:timers/promises'
import { after, before, test } from 'node:test'
import { sql } from 'kysely'
import type pg from 'pg'
import pino from 'pino'
import { Registry } from 'prom-client'
import { readConfig } from '../config.ts'
import type { Context } from '../context.ts'
import { ensurePartitions, partitionOf } from '../postgres/partitions.ts'
import { openPool } from '../postgres/pool.ts'
import { inTenant } from '../postgres/tenant.ts'
import type { TestDatabase } from '../testing/database.ts'
import { testDatabase } from '../testing/database.ts'
import type { Job } from './jobs.ts'
import { jobs, startJobs } from './jobs.ts'
import { rollUpDays } from './days.ts'
import { forgetTelemetry, tidy } from './retention.ts'

const day = 86_400_000
const now = new Date()
const ago = (days: number) => new Date(now.getTime() - days * day)

let database: TestDatabase
let context: Context
before(async () => {
  database = await testDatabase()
  const { db, owner, idp } = database
  const config = readConfig({ CARETAKER_DATA: '/nonexistent', CARETAKER_TELEMETRY_DAYS: '30' })
  context = { config, db, owner, idp, log: pino({ level: 'silent' }), metrics: new Registry() }
  await owner.query(`insert into tenant (id, display_name) values ('north', 'North'), ('south', 'South')`)
})
const pools: pg.Pool[] = []
after(async () => {
  await Promise.all(pools.map((pool) => pool.end()))
  await database.drop()
})

async function addSeries(tenant: string): Promise<{ device: string; series: number }> {
  const device = crypto.randomUUID()
  return inTenant(database.db, tenant, async (tx) => {
    await tx
      .insertInto('device')
      .values({ tenant_id: tenant, id: device, serial: device, product: 'MD', name: 'Dot', status: 'Ok', severity: 2 })
      .execute()
    const { id } = await tx
      .insertInto('series')
      .values({ tenant_id: tenant, device_id: device, metric: 'temperature' })
      .returning('id')
      .executeTakeFirstOrThrow()
    return { device, series: id }
  })
}

const count = async (tenant: string, table: 'point' | 'hourly' | 'daily' | 'bad_message') =>
  inTenant(database.db, tenant, async (tx) => {
    const { n } = await tx
      .selectFrom(table)
      .where('tenant_id', '=', tenant)
      .select((eb) => eb.fn.countAll<number>().as('n'))
      .executeTakeFirstOrThrow()
    return n
  })

test('telemetry older than the settings keep it goes, of every tenant, hours five times later; again changes nothing', async () => {
  await ensurePartitions(database.owner, now, ago(60))
  for (const tenant of ['north', 'south']) {
    const { series } = await addSeries(tenant)
    await inTenant(database.db, tenant, async (tx) => {
      const points = [0, 10, 29, 45, 59].map((days) => ({
        tenant_id: tenant,
        series_id: series,
        at: ago(days),
        value: 1,
      }))
      await tx.insertInto('point').values(points).execute()
      await sql`
        insert into hourly
        select ${tenant}, ${series}, hour, 1, 1, 1, 1, ${now}::timestamptz, 1
        from generate_series(0, 170 * 24) n,
          lateral (select date_trunc('hour', ${now}::timestamptz) - make_interval(hours => n) as hour) as gone
        on conflict do nothing`.execute(tx)
    })
  }
  await rollUpDays(database.db, now)
  const { partitions, hours, days } = await forgetTelemetry(context, now)
  assert.ok(partitions.includes(partitionOf(ago(45)).name))
  assert.ok(!partitions.includes(partitionOf(ago(29)).name))
  for (const tenant of ['north', 'south']) {
    assert.equal(await count(tenant, 'point'), 3)
    assert.ok(Math.abs((await count(tenant, 'hourly')) - 150 * 24) <= 1)
  }
  assert.ok(Math.abs(hours - 2 * 20 * 24) <= 2)
  assert.ok(Math.abs(days - 2 * 20) <= 2)
  assert.deepEqual(await forgetTelemetry(context, now), { partitions: [], hours: 0, days: 0 })
})

test('closed days are summed up once from their hours, and nothing that may still change', async () => {
  const { series } = await addSeries('north')
  const today = Math.floor(now.getTime() / day) * day
  const add = (days: number, hour: number, low: number, high: number) =>
    inTenant(database.db, 'north', (tx) =>
      tx
        .insertInto('hourly')
        .values({
          tenant_id: 'north',
          series_id: series,
          hour: new Date(today - days * day + hour * 3_600_000),
          n: 2,
          total: low + high,
          low,
          high,
          last_at: now,
          last_value: high,
        })
        .execute(),
    )
  const made = async () => {
    await rollUpDays(database.db, now)
    return inTenant(database.db, 'north', (tx) =>
      tx
        .selectFrom('daily')
        .select(['day', 'n', 'total', 'low', 'high'])
        .where('tenant_id', '=', 'north')
        .where('series_id', '=', series)
        .orderBy('day')
        .execute(),
    )
  }
  await add(12, 0, 1, 5)
  await add(12, 23, -3, 4)
  await add(10, 7, 2, 2)
  await add(7, 0, 9, 9)
  const closed = [
    { day: new Date(today - 12 * day), n: 4, total: 7, low: -3, high: 5 },
    { day: new Date(today - 10 * day), n: 2, total: 4, low: 2, high: 2 },
  ]
  assert.deepEqual(await made(), closed)
  assert.deepEqual(await made(), closed)
  await add(9, 3, 0, 1)
  assert.deepEqual(await made(), [...closed, { day: new Date(today - 9 * day), n: 2, total: 1, low: 0, high: 1 }])
})

test('bad messages, browser errors and leavings of sign-ins go when their time is over', async () => {
  const { device } = await addSeries('south')
  const bad = (at: Date) => ({
    tenant_id: 'south',
    device_id: device,
    at,
    channel: 'telemetry',
    reason: 'not JSON',
    detail: '',
    payload: '{',
  })
  await inTenant(database.db, 'south', (tx) =>
    tx
      .insertInto('bad_message')
      .values([bad(ago(0.9)), bad(ago(1.1)), bad(ago(3))])
      .execute(),
  )
  const { owner } = database
  await owner.query(
    `insert into client_error (at, message, stack, component_stack) values ($1, 'new', '', ''), ($2, 'old', '', '')`,
    [ago(89), ago(91)],
  )
  await owner.query(
    `insert into idp.payload (model, id, payload, expires_at)
     values ('Session', 'lasts', '{}', $1), ('Session', 'over', '{}', $2), ('Client', 'forever', '{}', null)`,
    [ago(-1), ago(0.01)],
  )
  await owner.query(`insert into idp.failed_attempt (key, at) values ('new', $1), ('old', $2)`, [ago(0.5), ago(2)])

  assert.equal(await tidy(context, now), 5)
  assert.equal(await count('south', 'bad_message'), 1)
  const texts = async (query: string) => (await owner.query<{ it: string }>(query)).rows.map((row) => row.it)
  assert.deepEqual(await texts('select message as it from client_error'), ['new'])
  assert.deepEqual(await texts('select id as it from idp.payload order by 1'), ['forever', 'lasts'])
  assert.deepEqual(await texts('select key as it from idp.failed_attempt'), ['new'])
  assert.equal(await tidy(context, now), 0)
})

test('every job can be run at any time, and twice at once', async () => {
  const { signal } = new AbortController()
  for (const job of jobs) await Promise.all([job.run(context, signal), job.run(context, signal)])
})

test('of several processes one does a run, and it is in order after a restart', async () => {
  const runs: string[] = []
  const job = (process: string): Job => ({
    name: 'probe',
    cron: '0 0 1 1 *',
    patience: 60,
    poll: 0.5,
    run: async () => runs.push(process),
  })
  const order = () =>
    database.owner.query(
      `insert into pgboss.job (name, policy) select name, policy from pgboss.queue where name = 'probe'`,
    )
  const first = await Promise.all(['a', 'b', 'c'].map((name) => startJobs(separate(), [job(name)])))
  for (let n = 1; n <= 4; n++) {
    await order()
    await until(() => runs.length >= n)
    assert.equal(runs.length, n)
  }
  await Promise.all(first.map((one) => one.stop()))
  await order()
  const again = await startJobs(separate(), [job('d')])
  await until(() => runs.length >= 5)
  await again.stop()
  assert.equal(runs.length, 5)
  assert.equal(runs[4], 'd')
  const { rows } = await database.owner.query<{ state: string; n: number }>(
    `select state, count(*) as n from pgboss.job where name = 'probe' group by 1`,
  )
  assert.deepEqual(rows, [{ state: 'completed', n: 5 }])
})

test('a run of the half minute orders its second half, and a failing job is counted and does not stop the others', async () => {
  const { owner } = database
  const metrics = new Registry()
  const base = { cron: '0 0 1 1 *', patience: 60, poll: 0.5 }
  let halves = 0
  const working = await startJobs({ ...context, metrics }, [
    { ...base, name: 'halves', halfway: true, run: async () => void halves++ },
    { ...base, name: 'broken', run: async () => Promise.reject(new Error('broken')) },
  ])
  await owner.query(
    `insert into pgboss.job (name, policy, retry_limit) select name, policy, 0 from pgboss.queue where name in ('halves', 'broken')`,
  )
  const waiting = async () =>
    (
      await owner.query<{ data: unknown; seconds: number }>(
        `select data, round(extract(epoch from start_after - created_on))::int as seconds
         from pgboss.job where name = 'halves' and state = 'created' and start_after > now()`,
      )
    ).rows
  await until(async () => (await waiting()).length > 0)
  assert.deepEqual(await waiting(), [{ data: { second: true }, seconds: 30 }])
  await owner.query(`update pgboss.job set start_after = now() where name = 'halves' and state = 'created'`)
  await until(() => halves === 2)
  await until(async () => (await metrics.metrics()).includes('caretaker_job_failures_total{job="broken"} 1'))
  await working.stop()
  assert.deepEqual(await waiting(), [])
})

/** As another process has it: connections and metrics are its own. */
function separate(): Context {
  const owner = openPool(database.url, 'owner', 3)
  pools.push(owner)
  return { ...context, owner, metrics: new Registry() }
}

async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  const deadline = Date.now() + 30_000
  while (!(await condition())) {
    if (Date.now() > deadline) throw new Error(`never came true: ${String(condition)}`)
    await delay(20)
  }
}
