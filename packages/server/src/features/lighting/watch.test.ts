import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, test } from 'vitest'
import type { TestType } from '@caretaker/rules/lighting/tests.ts'
import type { TenantTx } from '../../postgres/tenant.ts'
import { inTenant } from '../../postgres/tenant.ts'
import { makeDue } from '../../postgres/due.ts'
import type { TestApp } from '../../testing/app.ts'
import { testApp } from '../../testing/app.ts'
import { proofOf } from '../../testing/evidence.ts'
import { addDevice } from '../../testing/furnish/devices.ts'
import { openConditions } from '../conditions/store.ts'
import { ingestTests } from './ingest.ts'
import { watchBatteries } from './low-batteries.ts'
import { watchLights } from './watch.ts'

const [tenant, hour, day] = ['north', 3_600_000, 86_400_000]
const now = Date.UTC(2026, 10, 20, 12)

let it: TestApp
beforeAll(async () => {
  it = await testApp()
  await it.addTenant(tenant)
  await it.addTenant('south')
})
afterAll(() => it.close())

const work = <T>(run: (tx: TenantTx) => Promise<T>, of: string = tenant) => inTenant(it.database.db, of, run)
const open = async (id: string, of = tenant) =>
  ((await work((tx) => openConditions(tx, [id]), of)).get(id) ?? []).map(({ kind, key }) => `${kind} ${key}`.trim())
const tested = (
  deviceId: string,
  testType: TestType,
  start: number,
  word: 'Passed' | 'Failed' = 'Passed',
  receivedAt = start + 4 * hour,
) =>
  work((tx) =>
    ingestTests(tx, [
      {
        ...{ deviceId, tenant, receivedAt: new Date(receivedAt) },
        payload: {
          ...{ eventId: randomUUID(), testType, start, result: word, componentStates: {}, series: [] },
          ...(word === 'Passed' && { statusBits: proofOf(testType) }),
        },
      },
    ]),
  )
const look = async (at = now) => {
  await work((tx) => makeDue(tx, 'watch lights', new Date(at)))
  return watchLights(it.database.db, new Date(at))
}
const age = (deviceId: string, at: number) =>
  it.database.owner.query('update device set created_at = $2 where id = $1', [deviceId, new Date(at)])

test('a light is overdue the day after its grace, for each test it owes, until it is tested', async () => {
  const [fine, monthly, yearly, young, stock] = await Promise.all([
    addDevice(it, tenant),
    addDevice(it, tenant),
    addDevice(it, tenant),
    addDevice(it, tenant),
    addDevice(it, tenant, { status: 'Inventory' }),
  ])
  await tested(fine, 'T180', now - 200 * day)
  await tested(fine, 'T0', now - 38 * day)
  await tested(monthly, 'T180', now - 39 * day)
  await tested(yearly, 'T180', now - 396 * day)
  await tested(yearly, 'T0', now - day)
  await age(young, now - 10 * day)
  assert.equal(await look(), 2)
  assert.deepEqual(await Promise.all([fine, monthly, yearly, young, stock].map((id) => open(id))), [
    [],
    ['testOverdue T0'],
    ['testOverdue T180'],
    [],
    ['inStock'],
  ])
  assert.equal(await look(), 0, 'once')
  await tested(monthly, 'T0', now - hour)
  await tested(yearly, 'T180', now - 5 * hour, 'Failed')
  assert.deepEqual([await open(monthly), await open(yearly)], [[], ['testFailed T180']])
  // Never tested: its first tests are due from its installation.
  assert.equal(await look(now + 30 * day), 2)
  assert.deepEqual(await open(young), ['testOverdue T0'])
})

test('a test at an unknown time is not in time', async () => {
  const light = await addDevice(it, tenant)
  await tested(light, 'T180', now - 300 * day)
  await tested(light, 'T0', Date.UTC(2000, 0, 1), 'Passed', now - hour)
  assert.ok((await open(light)).includes('testNotProven T0'))
  await look()
  assert.ok((await open(light)).includes('testOverdue T0'))
})

test('states reported before they were recorded as conditions are recorded', async () => {
  const light = await addDevice(it, tenant)
  await tested(light, 'T180', now - 5 * day)
  await it.database.owner.query(`update device set reported = '{"inhibited": true, "mains": false}' where id = $1`, [
    light,
  ])
  await look()
  assert.deepEqual((await open(light)).toSorted(), ['inhibited', 'noMains'])
  await look()
  assert.equal((await open(light)).length, 2)
})

test('a battery that is too low is a failure at once, unless a test just emptied it', async () => {
  const [light, used, boiler] = [
    await addDevice(it, tenant),
    await addDevice(it, tenant),
    await addDevice(it, tenant, { product: 'BX' }),
  ]
  const watch = watchBatteries()
  const read = (deviceId: string, values: Record<string, number>, at = now) =>
    work((tx) => watch(tx, [{ deviceId, tenant, receivedAt: new Date(at), payload: [{ ts: at, values }] }], at))
  await tested(used, 'T180', now - 5 * hour)
  for (const id of [light, used, boiler]) await read(id, { batteryVoltage: 0.3, batteryLevel: 0 })
  assert.deepEqual([await open(light), await open(used), await open(boiler)], [['batteryLow'], [], []])
  // A day later it should be charged.
  await read(used, { batteryVoltage: 0.3 }, now + day)
  assert.deepEqual(await open(used), ['batteryLow'])
  await read(light, { batteryVoltage: 3.9, batteryLevel: 100 }, now + hour)
  assert.deepEqual(await open(light), [])
  // Another process recorded it; this one finds out within minutes.
  await work((tx) =>
    watchBatteries()(
      tx,
      [{ deviceId: light, tenant, receivedAt: new Date(now), payload: [{ ts: now, values: { batteryLevel: 0 } }] }],
      now + 2 * hour,
    ),
  )
  await read(light, { batteryLevel: 100 }, now + 3 * hour)
  assert.deepEqual(await open(light), [])
})

test('readings that change nothing about a battery cost no statement', async () => {
  const light = await addDevice(it, tenant)
  const watch = watchBatteries()
  const message = {
    deviceId: light,
    tenant,
    receivedAt: new Date(now),
    payload: [{ ts: now, values: { batteryLevel: 90 } }],
  }
  await work((tx) => watch(tx, [message], now))
  await work(async (tx) => {
    const statements = async () =>
      (await tx.selectNoFrom((eb) => eb.fn<string>('pg_current_xact_id_if_assigned').as('id')).executeTakeFirst())!.id
    assert.equal(await statements(), null)
    await watch(tx, [message], now + 60_000)
    assert.equal(await statements(), null)
  })
})
