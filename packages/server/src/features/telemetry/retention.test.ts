import assert from 'node:assert/strict'
import { afterAll, beforeAll, test } from 'vitest'
import { sql } from 'kysely'
import { readConfig } from '../../config.ts'
import { makeAllDue } from '../../postgres/due.ts'
import { ensurePartitions, partitionOf } from '../../postgres/partitions.ts'
import { inTenant } from '../../postgres/tenant.ts'
import type { TestDatabase } from '../../testing/database.ts'
import { testDatabase } from '../../testing/database.ts'
import { rollUpDays } from './days.ts'
import { forgetTelemetry } from './retention.ts'

const day = 86_400_000
const now = new Date()
const ago = (days: number) => new Date(now.getTime() - days * day)

let database: TestDatabase
let context: Parameters<typeof forgetTelemetry>[0]
beforeAll(async () => {
  database = await testDatabase()
  const { db, owner } = database
  context = { config: readConfig({ CARETAKER_DATA: '/nonexistent', CARETAKER_TELEMETRY_DAYS: '30' }), db, owner }
  await owner.query(`insert into tenant (id, display_name) values ('north', 'North'), ('south', 'South')`)
  for (const tenant of ['north', 'south']) await makeAllDue(owner, tenant)
})
afterAll(() => database.drop())

async function addSeries(tenant: string): Promise<{ series: number }> {
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
    return { series: id }
  })
}

const count = async (tenant: string, table: 'point' | 'hourly' | 'daily') =>
  inTenant(database.db, tenant, async (tx) => {
    const { n } = await tx
      .selectFrom(table)
      .where('tenant_id', '=', tenant)
      .select((eb) => eb.fn.countAll<number>().as('n'))
      .executeTakeFirstOrThrow()
    return n
  })

test('telemetry beyond the retention period is deleted in every tenant, hours after five times as long; a repeat changes nothing', async () => {
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
  assert.deepEqual(await forgetTelemetry(context, now), { partitions: [], packed: 0, hours: 0, days: 0 })
})

test('closed days are summed up once from their hours, and no day that may still change', async () => {
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
