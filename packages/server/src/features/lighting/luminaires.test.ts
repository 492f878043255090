import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, test } from 'vitest'
import { getAudit } from '@caretaker/contract/audit.ts'
import {
  addStandardLuminaire,
  deleteStandardLuminaire,
  getBatteryLimits,
  getStandardLuminaires,
  putBatteryLimits,
  updateEmeredLuminaire,
} from '@caretaker/contract/equipment.ts'
import { fetchViewData, getEmered } from '@caretaker/contract/devices.ts'
import type { TestApp } from '../../testing/app.ts'
import { testApp } from '../../testing/app.ts'
import { addAccessRightsTag, addDevice } from '../../testing/furnish/devices.ts'

let app: TestApp
let east: string
const tenant = 'north'
const [manager, admin, limited] = ['manager@north.test', 'admin@north.test', 'limited@north.test']
const below = { engineer: 'LightingEngineer', boilers: 'BoilerEngineer', guest: 'Guest' } as const

beforeAll(async () => {
  app = await testApp()
  for (const id of ['north', 'south']) await app.addTenant(id)
  await app.addMember('north', manager, 'Manager')
  await app.addMember('north', admin, 'Admin')
  for (const [name, role] of Object.entries(below)) await app.addMember('north', `${name}@north.test`, role)
  east = await addAccessRightsTag(app, 'north', 'East')
  await app.addMember('north', limited, 'Manager', [east])
  await app.addMember('south', 'manager@south.test', 'Manager')
})
afterAll(() => app.close())

const stairwell = {
  ...{ name: 'Stairwell, microwave', lampType: 'LED', inverterType: 'Self-contained' },
  ...{ batteryType: 'Nickel Cadmium' as const, batteryVoltage: 3.6, batteryCapacity: 4 },
}
const add = (sent: object = {}, email = manager) =>
  app.send(addStandardLuminaire, { body: { tenant, ...stairwell, ...sent } as never }, email)
const remove = (luminaireId: unknown, email = manager) =>
  app.send(deleteStandardLuminaire, { body: { tenant, luminaireId } as never }, email)
const list = async (email = manager) =>
  (await app.send(getStandardLuminaires, { body: { tenant } }, email)).body.data ?? []
const names = async () => (await list()).map(({ name }) => name)
const entries = async (action: string) =>
  (await app.send(getAudit, { params: { tenant }, query: { action } as never }, admin)).body.results as unknown as {
    userName: string
    subject: string
    before: object
    after: object
  }[]

test('a standard luminaire is added with six fields, listed, and deleted, with records [dev-3ent-45 dev-7lum-1 dev-7lum-2 dev-7lum-3 est-7.3-11]', async () => {
  const { status, body } = await add({ name: '  Stairwell,   microwave ' })
  assert.deepEqual([status, body.isSuccessful], [200, true])
  const luminaireId = body.data!.luminaireId
  const other = (await add({ name: 'batten 1200 mm' })).body.data!
  assert.deepEqual(await list(), [
    { ...stairwell, name: 'batten 1200 mm', luminaireId: other.id, id: other.id, lights: 0 },
    { ...stairwell, luminaireId, id: luminaireId, lights: 0 },
  ])
  const gone = await remove(luminaireId)
  assert.deepEqual([gone.status, gone.body.data], [200, { luminaireId }])
  assert.deepEqual(await names(), ['batten 1200 mm'])
  assert.equal((await remove(luminaireId)).status, 404)
  const [added] = (await entries('standard luminaire added')).filter(({ subject }) => subject === stairwell.name)
  assert.deepEqual([added!.userName, added!.after], ['manager', stairwell])
  const [deleted] = await entries('standard luminaire deleted')
  assert.deepEqual([deleted!.subject, deleted!.before], [stairwell.name, stairwell])
})

test('lights with all six fields equal are counted, and deleting the standard changes none of them', async () => {
  const { luminaireId } = (await add({ name: 'Counted' })).body.data!
  const [one, two, three] = [
    await addDevice(app, tenant),
    await addDevice(app, tenant, { accessRightsTagId: east }),
    await addDevice(app, tenant),
  ]
  const equip = (deviceId: string, sent: object = {}) =>
    app.send(updateEmeredLuminaire, { body: { tenant, deviceId, ...stairwell, name: 'Counted', ...sent } }, manager)
  await equip(one)
  await equip(two)
  await equip(three, { batteryCapacity: 2.5 })
  const counted = async (email?: string) => (await list(email)).find(({ name }) => name === 'Counted')!.lights
  assert.equal(await counted(), 2)
  // Lights that a user does not see are not disclosed by the count.
  assert.equal(await counted(limited), 1)
  // The list finds exactly those; limited users see no settings and so no standard luminaires.
  const listed = async (filterOp: string, value: unknown, email = manager) => {
    const filters = [{ fieldId: 'luminaire', filterOp, value }]
    const body = { tenant, listing: 'EmergencyLights', filters, pageSize: 100 }
    const { data } = (await app.send(fetchViewData, { body } as never, email)).body as {
      data?: { rows: { deviceId: string }[] }
    }
    return data!.rows.map(({ deviceId }) => deviceId).sort()
  }
  for (const [op, value] of [
    ['equals', 'counted'],
    ['anyof', ['Counted', 'Another']],
    ['contains', 'ount'],
    ['present', true],
  ] as const)
    assert.deepEqual(await listed(op, value), [one, two].sort(), op)
  assert.deepEqual(await listed('equals', 'Another'), [])
  assert.deepEqual(await listed('equals', 'Counted', limited), [])
  const before = (await app.send(getEmered, { body: { tenant, deviceId: one } }, manager)).body.data!.equipment
  await remove(luminaireId)
  const after = (await app.send(getEmered, { body: { tenant, deviceId: one } }, manager)).body.data!.equipment
  assert.deepEqual([after, after.luminaireName], [before, 'Counted'])
})

test("invalid values are refused with the field's message, and so is a used name in any case", async () => {
  const had = await names()
  for (const [field, value, text] of [
    ['name', ' ', 'Name is required'],
    ['lampType', undefined, 'Lamp type is required'],
    ['inverterType', null, 'Inverter type is required'],
    ['batteryType', '', 'Battery type is required'],
    ['batteryType', 'Potato', 'Please select battery type from list'],
    ['batteryVoltage', 2.6, 'Battery Voltage must be greater than 2.6V'],
    ['batteryVoltage', 12.1, 'Battery Voltage can not be greater than 12V'],
    ['batteryCapacity', 0, 'Battery Capacity must be greater than 0'],
    ['batteryCapacity', 20, 'Battery Capacity must be less than 20Ah'],
  ] as const) {
    const { status, body } = await add({ [field]: value })
    assert.equal(status, 400)
    assert.ok(JSON.stringify(body).includes(text), text)
  }
  assert.equal((await add({ owner: 'me' })).status, 400)
  for (const bad of ['x', null, {}, undefined]) assert.equal((await remove(bad)).status, 400)
  const { body } = await add({ name: 'BATTEN  1200 mm' })
  assert.deepEqual([body.isSuccessful, body.message], [false, 'Name already being used'])
  const both = await Promise.all([add({ name: 'Twice' }), add({ name: 'twice' })])
  assert.equal(both.filter(({ body: { isSuccessful } }) => isSuccessful).length, 1)
  assert.deepEqual(
    (await names()).filter((name) => name.toLowerCase() !== 'twice'),
    had,
  )
})

test('only unrestricted managers of lighting add and delete; users who see lighting may choose from them', async () => {
  const { luminaireId } = (await add({ name: 'Kept' })).body.data!
  for (const email of [limited, ...Object.keys(below).map((name) => `${name}@north.test`)]) {
    assert.equal((await add({ name: 'Never' }, email)).status, 403, email)
    assert.equal((await remove(luminaireId, email)).status, 403, email)
    const { status } = await app.send(getStandardLuminaires, { body: { tenant } }, email)
    assert.equal(status, email.startsWith('boilers') ? 403 : 200, email)
  }
  assert.equal((await remove(luminaireId, 'manager@south.test')).status, 404)
  assert.equal((await remove(randomUUID())).status, 404)
  assert.ok((await names()).includes('Kept') && !(await names()).includes('Never'))
  assert.equal((await add({ tenant: 'south', name: 'Kept' }, 'manager@south.test')).status, 200)
})

test('with nearly all or nearly none of thousands of lights on a standard luminaire, pages are complete and in order', async () => {
  const many = 'many'
  const email = 'manager@many.test'
  await app.addTenant(many)
  await app.addMember(many, email, 'Manager')
  await app.send(addStandardLuminaire, { body: { tenant: many, ...stairwell } as never }, email)
  await app.database.owner.query(
    `insert into device (tenant_id, id, serial, product, name, listing, status, severity)
     select $1, gen_random_uuid(), 'EM' || lpad(n::text, 7, '0'), 'EM', 'Light', 'EmergencyLights', 'Ok', 2 from generate_series(1, 5200) n`,
    [many],
  )
  /** Gives the lights that meet a condition a different battery from the standard one. */
  const equip = (isOther: string) =>
    app.database.owner.query(
      `insert into emergency_equipment
         (tenant_id, device_id, name, lamp_type, inverter_type, battery_type, battery_voltage, battery_capacity)
       select $1, id, $2, $3, $4, $5, $6, case when ${isOther} then 9 else $7::float8 end from device where tenant_id = $1
       on conflict (tenant_id, device_id) do update set battery_capacity = excluded.battery_capacity`,
      [many, ...Object.values(stairwell)],
    )
  const serials = async (value: boolean, page: number, descending: boolean) => {
    const filters = [{ fieldId: 'luminaire', filterOp: 'present', value }]
    const sorts = [{ fieldId: 'serial', descending }]
    const body = { tenant: many, listing: 'EmergencyLights', filters, sorts, page } as never
    const { data } = (await app.send(fetchViewData, { body }, email)).body
    return { total: data!.total, serials: data!.rows.map(({ deviceSerial }) => deviceSerial) }
  }
  const numbers = Array.from({ length: 5200 }, (_, at) => at + 1)
  for (const [value, isOther, isMeant] of [
    [true, `right(serial, 2)::int % 25 = 0`, (n: number) => n % 25 !== 0],
    [false, `right(serial, 2)::int % 25 <> 0`, (n: number) => n % 25 !== 0],
  ] as const) {
    await equip(isOther)
    const meant = numbers.filter(isMeant).map((n) => `EM${String(n).padStart(7, '0')}`)
    for (const descending of [false, true])
      for (const page of [1, 25, 50]) {
        const expected = (descending ? meant.toReversed() : meant).slice((page - 1) * 100, page * 100)
        assert.deepEqual(await serials(value, page, descending), { total: meant.length, serials: expected })
      }
  }
})

test('a manager widens the accepted voltages of the client, and resets them', async () => {
  const put = (isWide: boolean, email = manager, at = tenant) =>
    app.send(putBatteryLimits, { params: { tenant: at }, body: { isWide } }, email)
  const limits = async (email = manager, at = tenant) =>
    (await app.send(getBatteryLimits, { params: { tenant: at } }, email)).body.isWide
  const volts = async (batteryVoltage: number) => {
    const { status, body } = await add({ name: `Limits ${batteryVoltage}`, batteryVoltage })
    return status === 200
      ? 'added'
      : (body as unknown as { validationErrors: { message: string }[] }).validationErrors[0]!.message
  }
  const tooLow = 'Battery Voltage must be greater than 2.6V'
  assert.deepEqual([await volts(2.4), await volts(24)], [tooLow, 'Battery Voltage can not be greater than 12V'])
  for (const email of ['engineer@north.test', 'guest@north.test', limited])
    assert.equal((await put(true, email)).status, 403)
  assert.equal((await put(true, manager, 'south')).status, 404)
  assert.equal(await limits(), false)
  assert.equal((await put(true)).status, 200)
  assert.equal(await limits('guest@north.test'), true)
  assert.equal(await limits('manager@south.test', 'south'), false)
  assert.deepEqual([await volts(2.4), await volts(24)], ['added', 'added'])
  assert.deepEqual(
    [await volts(2.3), await volts(24.1)],
    ['Battery Voltage must be at least 2.4V', 'Battery Voltage can not be greater than 24V'],
  )
  const light = await addDevice(app, tenant, { product: 'EM' })
  const body = { tenant, deviceId: light, ...stairwell, batteryVoltage: 24 }
  assert.equal((await app.send(updateEmeredLuminaire, { body }, manager)).status, 200)
  assert.deepEqual(
    (await entries('battery limits changed')).map(({ after }) => after),
    [{ isWide: true }],
  )
  await put(false)
  assert.equal(await volts(2.4), tooLow)
  assert.equal((await app.send(updateEmeredLuminaire, { body }, manager)).status, 400)
})
