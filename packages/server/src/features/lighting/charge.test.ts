import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, test } from 'vitest'
import { fetchViewData } from '@caretaker/contract/devices.ts'
import { severityOf } from '@caretaker/rules/devices/status.ts'
import type { TestType } from '@caretaker/rules/lighting/tests.ts'
import { inTenant } from '../../postgres/tenant.ts'
import type { TestApp } from '../../testing/app.ts'
import { testApp } from '../../testing/app.ts'
import { addDevice } from '../../testing/furnish/devices.ts'
import { ingestStates } from '../devices/ingest.ts'
import { watchCharge } from './charge.ts'
import { proofOf } from '../../testing/evidence.ts'
import { ingestTests } from './ingest.ts'

let it: TestApp
const tenant = 'north'
const [hour, day] = [3_600_000, 86_400_000]
const start = Date.now() - 10 * day
beforeAll(async () => {
  it = await testApp()
  await it.addTenant(tenant)
  await it.addMember(tenant, 'guest@north.test', 'Guest')
})
afterAll(() => it.close())

const reportState = (deviceId: string, payload: Parameters<typeof ingestStates>[1][number]['payload'], at: number) =>
  inTenant(it.database.db, tenant, (tx) => ingestStates(tx, [{ tenant, deviceId, receivedAt: new Date(at), payload }]))
const tested = (deviceId: string, testType: TestType, at: number) =>
  inTenant(it.database.db, tenant, (tx) =>
    ingestTests(tx, [
      {
        ...{ tenant, deviceId, receivedAt: new Date(at + 190 * 60_000) },
        payload: {
          ...{ eventId: randomUUID(), testType, start: at, result: 'Passed', componentStates: {}, series: [] },
          statusBits: proofOf(testType),
        },
      },
    ]),
  )
const look = (at: number) => watchCharge(it.database.db, new Date(at))
/** Status and reason as listed. */
async function shown(deviceId: string) {
  const body = { tenant, listing: 'EmergencyLights', pageSize: 100 }
  const { data } = (await it.send(fetchViewData, { body } as never, 'guest@north.test')).body as unknown as {
    data: { rows: { deviceId: string; deviceStatus: string; deviceStatusReason: string | null }[] }
  }
  const row = data.rows.find((one) => one.deviceId === deviceId)!
  return [row.deviceStatus, row.deviceStatusReason]
}

test('a light whose battery is not full after a day of charging is a warning with the reason, until it is full', async () => {
  const light = await addDevice(it, tenant)
  await reportState(light, { mains: true, batteryFull: false, runningTest: 'T180' }, start)
  await tested(light, 'T180', start)
  await reportState(light, { runningTest: null }, start + 3 * hour)
  assert.equal(await look(start + 27 * hour - 1), 0, 'it may still fill')
  assert.equal(await look(start + 27 * hour), 0, 'looks are some minutes apart')
  assert.equal(await look(start + 28 * hour), 1)
  assert.deepEqual(await shown(light), ['PreventativeMaintenance', 'Battery not full'])
  assert.equal(await look(start + 60 * hour), 0, 'once')
  // Neither a missing report nor a mains failure means that it is full.
  await reportState(light, { mains: false }, start + 61 * hour)
  assert.deepEqual(await shown(light), ['PreventativeMaintenance', 'Battery not full'])
  await reportState(light, { mains: true, batteryFull: true }, start + 70 * hour)
  assert.deepEqual(await shown(light), ['Ok', null])
})

test('a light that is charging, or about whose charge too little is known, has no battery warning', async () => {
  const [silent, dark, early, testing, fresh] = await Promise.all([1, 2, 3, 4, 5].map(() => addDevice(it, tenant)))
  const long = start - 40 * day
  await tested(silent!, 'T180', long)
  await reportState(silent!, { mains: true }, start)
  await reportState(dark!, { mains: false, mainsSince: long, batteryFull: false }, start)
  // A flick test uses charge as well, and so does any running test.
  await reportState(early!, { mains: true, mainsSince: long, batteryFull: false }, start)
  await tested(early!, 'T0', start + 5 * day - 20 * hour)
  await reportState(testing!, { mains: true, mainsSince: long, batteryFull: false, runningTest: 'T60' }, start)
  await reportState(fresh!, { mains: true, batteryFull: false }, start)
  assert.equal(await look(start + 5 * day), 0)
  for (const light of [silent, early, testing, fresh]) assert.deepEqual(await shown(light!), ['Ok', null])
  assert.deepEqual(await shown(dark!), ['PreventativeMaintenance', 'No mains'])
})

test('a light that is in stock or under test when checked is checked again without another report', async () => {
  // Processes what is due for other lights.
  await look(start + 100 * day)
  await it.database.owner.query(`update device set reported = reported - 'batteryFull' where tenant_id = $1`, [tenant])
  const long = start - 40 * day
  const [stored, testing] = [await addDevice(it, tenant), await addDevice(it, tenant)]
  const placed = (status: 'Inventory' | 'Ok') =>
    it.database.owner.query('update device set status = $2, severity = $3 where id = $1', [
      stored,
      status,
      severityOf(status),
    ])
  await placed('Inventory')
  await reportState(stored, { mains: true, mainsSince: long, batteryFull: false }, start)
  await reportState(testing, { mains: true, mainsSince: long, batteryFull: false, runningTest: 'T5' }, start)
  assert.equal(await look(start + 200 * day), 0)
  await placed('Ok')
  await reportState(testing, { runningTest: null }, start + 200 * day)
  assert.equal(await look(start + 202 * day), 2)
})
