import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, test } from 'vitest'
import { fetchViewData, getEmered, getMapPoints } from '@caretaker/contract/devices.ts'
import { exportInspectionSheet } from '@caretaker/contract/inspection.ts'
import { getDeviceCommands, stopLightTest } from '@caretaker/contract/lighting.ts'
import { inTenant } from '../../postgres/tenant.ts'
import type { TestApp } from '../../testing/app.ts'
import { testApp } from '../../testing/app.ts'
import { addAccessRightsTag, addDevice } from '../../testing/furnish/devices.ts'
import { readXlsx } from '../../testing/read-xlsx.ts'
import { ingestTests } from './ingest.ts'

let it: TestApp
let building: string
let light: string
const tenant = 'north'
const eventId = randomUUID()
const start = Date.now() - 50 * 60_000
const engineer = 'engineer@north.test'

beforeAll(async () => {
  it = await testApp()
  for (const id of [tenant, 'south']) await it.addTenant(id)
  await it.addMember(tenant, engineer, 'LightingEngineer')
  await it.addMember(tenant, 'guest@north.test', 'Guest')
  await it.addMember(tenant, 'limited@north.test', 'LightingEngineer', [await addAccessRightsTag(it, tenant, 'Patch')])
  await it.addMember('south', 'admin@south.test', 'Admin')
  building = randomUUID()
  await it.database.owner.query(
    `insert into building (tenant_id, id, name, address, postcode) values ($1, $2, 'Court', '1 Mill Lane', 'HX1 5TX')`,
    [tenant, building],
  )
  light = await addDevice(it, tenant, { name: 'Stairwell A' })
  await it.database.owner.query(
    `update device set building_id = $3, building_name = 'Court', latitude = 53, longitude = -1
      where tenant_id = $1 and id = $2`,
    [tenant, light, building],
  )
  await report({})
})
afterAll(() => it.close())

const report = (more: object) =>
  inTenant(it.database.db, tenant, (tx) =>
    ingestTests(tx, [
      {
        ...{ deviceId: light, tenant, receivedAt: new Date() },
        payload: { eventId, testType: 'T180', start, componentStates: {}, series: [], ...more } as never,
      },
    ]),
  )
const running = {
  testType: 'T180',
  startedAt: new Date(start).toISOString(),
  endsAt: new Date(start + 3 * 3_600_000).toISOString(),
}
const emered = async () => (await it.send(getEmered, { body: { tenant, deviceId: light } }, engineer)).body.data!
const row = async () => {
  const { body } = await it.send(fetchViewData, { body: { tenant, listing: 'EmergencyLights' } }, engineer)
  return body.data!.rows.find(({ deviceId }) => deviceId === light)!
}
/** The cells of the test in the sheet. */
const sheetCells = async () => {
  const day = new Date(start).toISOString().slice(0, 10)
  const answer = await it.app.inject({
    ...{ method: 'POST', url: exportInspectionSheet.path },
    payload: { tenant, buildingId: building, from: day, to: new Date().toISOString().slice(0, 10), format: 'xlsx' },
    headers: { authorization: `Bearer ${await it.token(engineer)}` },
  })
  assert.equal(answer.statusCode, 200, answer.body)
  return readXlsx(answer.rawPayload, 5).rows.flat().map(String)
}

test('a running test has the same name on page, list, map and sheet, and changes no status', async () => {
  const { runningTest, deviceStatus } = await emered()
  assert.deepEqual(runningTest, running)
  assert.equal(deviceStatus, 'Ok')
  assert.deepEqual((await row()).deviceRunningTest, running)
  const { points } = (await it.send(getMapPoints, { body: { tenant } }, engineer)).body.data!
  assert.deepEqual(
    points.map(({ deviceRunningTest }) => deviceRunningTest),
    [running],
  )
  assert.ok((await sheetCells()).some((cell) => /^Running since .+, 2 h (9|10) min left$/.test(cell)))
})

test('the test of a light is stopped by users who may test it, and only while it runs', async () => {
  const stop = (email: string) => it.send(stopLightTest, { body: { tenant, deviceId: light } }, email)
  for (const [email, status] of [
    ['guest@north.test', 403],
    ['limited@north.test', 404],
    ['admin@south.test', 404],
  ] as const)
    assert.equal((await stop(email)).status, status, email)
  const { status, body } = await stop(engineer)
  assert.equal(status, 200, JSON.stringify(body))
  const commands = (await it.send(getDeviceCommands, { body: { tenant, deviceId: light } }, engineer)).body.data!
  assert.deepEqual(
    commands.map(({ name, commandId }) => [name, commandId]),
    [['stopTest', body.data!.commandId]],
  )
  await report({ result: 'Failed', endedBy: 'person', series: curve(45) })
  const { runningTest, latestTests } = await emered()
  assert.equal(runningTest, null)
  assert.equal((await row()).deviceRunningTest, null)
  assert.deepEqual(
    latestTests.map(({ result, reason }) => [result, reason]),
    [['Indeterminate', 'Ended by a person after 45 min. Repeat the test.']],
  )
  assert.equal((await stop(engineer)).body.message, 'No test of this light is running.')
})

const curve = (minutes: number) =>
  Array.from({ length: minutes + 1 }, (_, at) => ({ seconds: at * 60, batteryVoltage: 3.8 }))
