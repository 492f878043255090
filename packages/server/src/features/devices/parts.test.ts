import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, test } from 'vitest'
import { exportPartsList, getPartsList } from '@caretaker/contract/parts.ts'
import type { TestApp } from '../../testing/app.ts'
import { testApp } from '../../testing/app.ts'
import { addAccessRightsTag, addDevice } from '../../testing/furnish/devices.ts'
import { readXlsx } from '../../testing/read-xlsx.ts'

let app: TestApp
const tenant = 'north'
const [engineer, limited, boilers] = ['engineer@north.test', 'limited@north.test', 'boilers@north.test']

interface Light {
  name: string
  building: string | null
  status?: string
  /** Failed parts by test. */
  failed?: Record<string, object>
  kind?: string
  battery?: string
  accessRightsTagId?: string
}

async function addLight(
  of: string,
  { name, building, status = 'FailedEquipment', failed = {}, battery, ...given }: Light,
) {
  const { owner } = app.database
  const tag = given.accessRightsTagId
  const id = await addDevice(app, of, { name, ...(tag && { accessRightsTagId: tag }) })
  await owner.query(
    `update device set building_name = $3, floor_name = 'Ground floor', room = 'Hall', status = $4,
       severity = case $4 when 'Ok' then 2 else 5 end where tenant_id = $1 and id = $2`,
    [of, id, building, status],
  )
  for (const [key, states] of Object.entries(failed))
    await owner.query(
      `insert into condition (tenant_id, id, device_id, kind, key, began_at, last_seen_at, states, evidence)
       values ($1, $2, $3, $4, $5, now(), now(), $6, '{}')`,
      [of, randomUUID(), id, given.kind ?? 'testFailed', key, JSON.stringify(states)],
    )
  if (battery)
    await owner.query(
      `insert into emergency_equipment (tenant_id, device_id, name, lamp_type, inverter_type, battery_type, battery_voltage,
         battery_capacity) values ($1, $2, 'Escape 3 h', 'LED', 'Integral', $3, 3.6, 4)`,
      [of, id, battery],
    )
  return id
}

let stairwell: string
beforeAll(async () => {
  app = await testApp()
  for (const id of [tenant, 'south']) await app.addTenant(id)
  const east = await addAccessRightsTag(app, tenant, 'East')
  await app.addMember(tenant, engineer, 'LightingEngineer')
  await app.addMember(tenant, limited, 'LightingEngineer', [east])
  await app.addMember(tenant, boilers, 'BoilerEngineer')
  stairwell = await addLight(tenant, {
    ...{ name: 'Stairwell', building: 'Beech Hill Court', battery: 'Nickel Cadmium', accessRightsTagId: east },
    failed: { T180: { Battery: 'Failed' }, T0: { Lamp: 'Failed', Battery: 'Failed' } },
  })
  await addLight(tenant, {
    ...{ name: 'Corridor 7', building: 'Beech Hill Court', battery: 'Nickel Cadmium' },
    failed: { T180: { Battery: 'Failed' } },
  })
  await addLight(tenant, { name: 'Landing', building: 'Alder House', failed: { T0: { Lamp: 'Failed' } } })
  await addLight(tenant, {
    name: 'Worn',
    building: 'Alder House',
    kind: 'testDegraded',
    failed: { T0: { Lamp: 'Degraded' } },
  })
  await addLight(tenant, { name: 'Whole', building: 'Alder House', status: 'Ok' })
  await addLight('south', { name: 'Elsewhere', building: 'Alder House', failed: { T0: { Lamp: 'Failed' } } })
})
afterAll(() => app.close())

const list = (sent: object = {}, email = engineer) =>
  app.send(getPartsList, { body: { tenant, ...sent } as never }, email)
const rowsFor = async (sent: object = {}, email = engineer) => {
  const { status, body } = await list(sent, email)
  assert.equal(status, 200, JSON.stringify(body))
  return body.data!.rows.map(
    ({ building, part, model, quantity, lights }) =>
      [building, part, model, quantity, lights.map(({ name, reason }) => `${name}: ${reason}`).join('; ')] as const,
  )
}

const nickel = 'Nickel Cadmium 3.6 V, 4 Ah'
const beech = [
  ['Beech Hill Court', 'Battery', nickel, 2, 'Corridor 7: Battery T180; Stairwell: Battery T0, T180'],
  ['Beech Hill Court', 'Lamp', 'LED', 1, 'Stairwell: Lamp T0'],
]

test('failed parts are listed for each building by part and model; worn and intact ones are not', async () => {
  const { body } = await list()
  assert.deepEqual(await rowsFor(), [['Alder House', 'Lamp', null, 1, 'Landing: Lamp T0'], ...beech])
  assert.deepEqual([body.data!.lights, body.data!.hasMore], [3, false])
})

test('a parts list is narrowed by the filters of the listing, including equipment', async () => {
  const filter = (fieldId: string, filterOp: string, value: unknown) => ({ filters: [{ fieldId, filterOp, value }] })
  assert.deepEqual(await rowsFor(filter('building', 'equals', 'beech hill court')), beech)
  assert.deepEqual(await rowsFor(filter('batteryType', 'anyof', ['Nickel Cadmium'])), beech)
  assert.deepEqual(await rowsFor(filter('batteryVoltage', 'from', 4.8)), [])
  assert.deepEqual(await rowsFor({ search: 'landing' }), [['Alder House', 'Lamp', null, 1, 'Landing: Lamp T0']])
  const { status, body } = await list(filter('nonsense', 'equals', 'x'))
  assert.equal(status, 400)
  assert.match(JSON.stringify(body), /There is no field 'nonsense' here/)
})

test('a workbook has a sheet of lights with serial, floor, room and reason, and a sheet for the van', async () => {
  const authorization = `Bearer ${await app.token(engineer)}`
  const { method, path: url } = exportPartsList
  const sent = await app.app.inject({ method, url, headers: { authorization }, payload: { tenant } })
  assert.equal(sent.statusCode, 200)
  const lights = readXlsx(sent.rawPayload)
  assert.equal(lights.name, 'By building')
  assert.deepEqual(
    lights.rows.map((row) => row.filter((_, at) => at !== 5)),
    [
      ['Building', 'Part', 'Model', 'Quantity', 'Light', 'Floor', 'Room', 'Reason'],
      ['Alder House', 'Lamp', 'Model not entered', '1', 'Landing', 'Ground floor', 'Hall', 'Lamp T0'],
      ['Beech Hill Court', 'Battery', nickel, '1', 'Corridor 7', 'Ground floor', 'Hall', 'Battery T180'],
      ['Beech Hill Court', 'Battery', nickel, '1', 'Stairwell', 'Ground floor', 'Hall', 'Battery T0, T180'],
      ['Beech Hill Court', 'Lamp', 'LED', '1', 'Stairwell', 'Ground floor', 'Hall', 'Lamp T0'],
    ],
  )
  for (const [at, row] of lights.rows.entries()) if (at > 0) assert.match(row[5]!, /^EM/)
  const van = readXlsx(sent.rawPayload, 2)
  assert.deepEqual(van.rows, [
    ['Part', 'Model', 'Quantity'],
    ['Battery', nickel, '2'],
    ['Lamp', 'LED', '1'],
    ['Lamp', 'Model not entered', '1'],
  ])
})

test('limited users get only the parts of their lights; other areas and clients get none', async () => {
  assert.deepEqual(await rowsFor({}, limited), [
    ['Beech Hill Court', 'Battery', nickel, 1, 'Stairwell: Battery T0, T180'],
    ['Beech Hill Court', 'Lamp', 'LED', 1, 'Stairwell: Lamp T0'],
  ])
  assert.equal((await list({}, boilers)).status, 403)
  assert.equal((await list({ tenant: 'south' })).status, 404)
})

test('repaired lights that are not proven yet are left out', async () => {
  await app.database.owner.query(
    `update condition set ended_at = now(), ending = 'repair recorded' where tenant_id = $1 and device_id = $2`,
    [tenant, stairwell],
  )
  assert.deepEqual(await rowsFor({ search: 'stairwell' }), [])
})
