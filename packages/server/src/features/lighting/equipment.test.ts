import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, test } from 'vitest'
import { getAudit } from '@caretaker/contract/audit.ts'
import { getEmered, shouldUpdateDevice } from '@caretaker/contract/devices.ts'
import {
  updateEmeredLuminaire,
  updateEmeredMonitoredLedCircuit,
  updateEmeredOperation,
} from '@caretaker/contract/equipment.ts'
import { emeredRepairForm } from '@caretaker/contract/maintenance.ts'
import { dayAt } from '@caretaker/rules/calendar/days.ts'
import { inTenant } from '../../postgres/tenant.ts'
import type { TestApp } from '../../testing/app.ts'
import { testApp } from '../../testing/app.ts'
import { addAccessRightsTag, addDevice } from '../../testing/furnish/devices.ts'
import { ingestTelemetry, seriesCache } from '../telemetry/ingest.ts'
import { ingestTests } from './ingest.ts'

let app: TestApp
let light: string
let boiler: string
const [manager, admin, engineer] = ['manager@north.test', 'admin@north.test', 'engineer@north.test']
const [other, guest, limited] = ['boilers@north.test', 'guest@north.test', 'limited@north.test']
const tenant = 'north'

beforeAll(async () => {
  app = await testApp()
  for (const id of ['north', 'south']) await app.addTenant(id)
  await app.addMember('north', manager, 'Manager')
  await app.addMember('north', admin, 'Admin')
  await app.addMember('north', engineer, 'LightingEngineer')
  await app.addMember('north', other, 'BoilerEngineer')
  await app.addMember('north', guest, 'Guest')
  await app.addMember('north', limited, 'Manager', [await addAccessRightsTag(app, 'north', 'East')])
  await app.addMember('south', 'manager@south.test', 'Manager')
  light = await addDevice(app, 'north')
  boiler = await addDevice(app, 'north', { product: 'BX' })
})
afterAll(() => app.close())

const luminaire = {
  ...{ name: 'Stairwell', lampType: 'LED', inverterType: 'Integral' },
  ...{ batteryType: 'Nickel Cadmium' as const, batteryVoltage: 3.6, batteryCapacity: 2.5 },
}
const equip = (sent: object = {}, email = engineer, deviceId = light) =>
  app.send(updateEmeredLuminaire, { body: { tenant, deviceId, ...luminaire, ...sent } }, email)
const monitor = (monitoredLedCircuit: unknown, email = engineer, deviceId = light) =>
  app.send(updateEmeredMonitoredLedCircuit, { body: { tenant, deviceId, monitoredLedCircuit } } as never, email)
const emered = async (deviceId = light) =>
  (await app.send(getEmered, { body: { tenant, deviceId } }, manager)).body.data!
const entries = async (action: string) =>
  (await app.send(getAudit, { params: { tenant }, query: { action } as never }, admin)).body.results as unknown as {
    userName: string
    before: object
    after: object
  }[]

test('a light has its equipment, which is empty until it is entered [dev-7actions-32 dev-3ent-41 dev-3ent-42]', async () => {
  const { deviceId, serialNumber, equipment, latestTests } = await emered()
  assert.equal(deviceId, light)
  assert.match(serialNumber, /^EM/)
  const unsaid = { operatingMode: null, keySwitch: null, batterySince: null }
  const nothing = {
    ...{ luminaireName: null, luminaireType: null, inverter: null, monitoredLedCircuit: null, batteries: [] },
    ...unsaid,
  }
  assert.deepEqual([equipment, latestTests], [nothing, []])
  await equip({ batteryInstalledDate: '2022-02-12' })
  await monitor('single')
  assert.deepEqual((await emered()).equipment, {
    ...{ luminaireName: 'Stairwell', luminaireType: 'LED', inverter: 'Integral', monitoredLedCircuit: 'single' },
    batteries: [{ type: 'Nickel Cadmium', voltage: 3.6, capacity: 2.5, installedDate: '2022-02-12' }],
    ...{ ...unsaid, batterySince: '2022-02-12' },
  })
})

test('the operation of a light is entered in parts, cleared by empty values, and recorded in words', async () => {
  const enterOperation = (sent: object, email = engineer, deviceId = light) =>
    app.send(updateEmeredOperation, { body: { tenant, deviceId, ...sent } }, email)
  const storedOperation = async () => {
    const { operatingMode, keySwitch } = (await emered()).equipment
    return [operatingMode, keySwitch]
  }
  assert.equal((await enterOperation({ operatingMode: 'nonMaintained' })).body.data!.deviceId, light)
  await enterOperation({ keySwitch: ' Riser, level 2 ' })
  assert.deepEqual(await storedOperation(), ['nonMaintained', 'Riser, level 2'])
  await enterOperation({ keySwitch: 'Riser, level 2' })
  await enterOperation({ operatingMode: null, keySwitch: '' })
  assert.deepEqual(await storedOperation(), [null, null])
  const changes = (await entries('light operation changed')).map((entry) => [entry.before, entry.after])
  assert.deepEqual(changes.slice(0, 3), [
    [
      { operatingMode: 'Non-maintained', keySwitch: 'Riser, level 2' },
      { operatingMode: null, keySwitch: null },
    ],
    [{ keySwitch: null }, { keySwitch: 'Riser, level 2' }],
    [{ operatingMode: null }, { operatingMode: 'Non-maintained' }],
  ])
  assert.equal(changes.length, 3)
  for (const wrong of [{ operatingMode: 'sometimes' }, { keySwitch: 'x'.repeat(101) }, { keySwitch: 'a\nb' }])
    assert.equal((await enterOperation(wrong)).status, 400)
  for (const email of [other, guest])
    assert.equal((await enterOperation({ operatingMode: 'maintained' }, email)).status, 403)
  for (const email of [limited, engineer])
    assert.equal(
      (await enterOperation({ operatingMode: 'maintained' }, email, email === limited ? light : boiler)).status,
      404,
    )
})

test('the luminaire is changed by the documented call, announced to open pages, and recorded once [dev-7actions-36]', async () => {
  const asked = (position?: string) =>
    app.send(shouldUpdateDevice, { body: { tenant, deviceId: light, date: 0, ...(position && { position }) } }, manager)
  await equip()
  const { position } = (await asked()).body.data!
  const { status, body } = await equip({ name: ' Stair   well B ', batteryCapacity: 4 })
  assert.deepEqual([status, body.isSuccessful, body.data!.deviceId], [200, true, light])
  assert.equal((await asked(position)).body.data!.shouldUpdate, true)
  await equip({ name: 'Stair well B', batteryCapacity: 4 })
  const [entry] = await entries('luminaire changed')
  assert.deepEqual(
    [entry!.userName, entry!.before, entry!.after],
    ['engineer', { name: 'Stairwell', batteryCapacity: 2.5 }, { name: 'Stair well B', batteryCapacity: 4 }],
  )
  // A new battery: the audit keeps the old one with the day it was fitted.
  await equip({
    name: 'Stair well B',
    batteryType: 'Lithium Ion',
    batteryCapacity: 4,
    batteryInstalledDate: '2026-01-05',
  })
  const [renewed] = await entries('luminaire changed')
  assert.deepEqual(renewed!.before, { batteryType: 'Nickel Cadmium', batteryInstalledDate: '2022-02-12' })
  assert.deepEqual((await emered()).equipment.batteries, [
    { type: 'Lithium Ion', voltage: 3.6, capacity: 4, installedDate: '2026-01-05' },
  ])
  await equip({ batteryInstalledDate: null })
  assert.equal((await emered()).equipment.batteries[0]!.installedDate, null)
})

test('a battery repair sets the day it was fitted, and no earlier day is accepted', async () => {
  const repaired = await addDevice(app, 'north', { status: 'FailedEquipment' })
  await equip({ batteryInstalledDate: '2022-02-12' }, engineer, repaired)
  const repair = (parts: object) =>
    app.send(emeredRepairForm, { form: { tenant, deviceId: repaired, description: 'Spare', ...parts } }, engineer)
  const installed = async () => (await emered(repaired)).equipment.batteries[0]!.installedDate
  await repair({ lamp: 'true' })
  assert.equal(await installed(), '2022-02-12')
  await repair({ battery: 'true' })
  const today = dayAt(Date.now(), 'Europe/London')
  assert.equal(await installed(), today)
  assert.equal((await equip({ batteryInstalledDate: '2022-02-12' }, engineer, repaired)).status, 400)
  // An entered day can be cleared; a recorded repair stays.
  assert.equal((await equip({ batteryInstalledDate: null }, engineer, repaired)).status, 200)
  assert.equal(await installed(), today)
  assert.equal((await equip({ name: 'Landing' }, engineer, repaired)).status, 200)
  assert.equal((await equip({ batteryInstalledDate: today }, engineer, repaired)).status, 200)
  assert.equal(await installed(), today)
})

test('the monitored LED circuit is one of three, and is recorded in words [dev-7actions-17]', async () => {
  for (const circuit of ['emergency', 'maintained', 'single']) {
    const { body } = await monitor(circuit)
    assert.deepEqual([body.isSuccessful, body.data!.deviceId], [true, light])
    assert.equal((await emered()).equipment.monitoredLedCircuit, circuit)
  }
  assert.equal((await monitor('other')).status, 400)
  const [entry] = await entries('monitored LED circuit changed')
  assert.deepEqual(
    [entry!.before, entry!.after],
    [
      { circuit: 'Maintained lighting circuit only' },
      { circuit: 'Single circuit monitoring emergency and maintained' },
    ],
  )
})

test('the server refuses what the form refuses, with the same message and field', async () => {
  const before = await emered()
  for (const [field, value, text] of [
    ['name', '', 'Name is required'],
    ['name', undefined, 'Name is required'],
    ['lampType', ' ', 'Lamp type is required'],
    ['inverterType', null, 'Inverter type is required'],
    ['batteryType', undefined, 'Battery type is required'],
    ['batteryType', 'Potato', 'Please select battery type from list'],
    ['batteryVoltage', undefined, 'Battery Voltage is required'],
    ['batteryVoltage', 'three', 'Battery Voltage needs to be a number'],
    ['batteryVoltage', 2.6, 'Battery Voltage must be greater than 2.6V'],
    ['batteryVoltage', 12.1, 'Battery Voltage can not be greater than 12V'],
    ['batteryCapacity', null, 'Battery Capacity is required'],
    ['batteryCapacity', 'many', 'Battery Capacity needs to be a number'],
    ['batteryCapacity', 0, 'Battery Capacity must be greater than 0'],
    ['batteryCapacity', 20, 'Battery Capacity must be less than 20Ah'],
    ['batteryInstalledDate', '2026-02-31', 'must be a day in the format YYYY-MM-DD'],
    ['batteryInstalledDate', '9999-01-01', 'must not be in the future'],
  ] as const) {
    const { status, body } = await equip({ [field]: value })
    assert.equal(status, 400, `${field} ${String(value)}`)
    const bodyText = JSON.stringify(body)
    assert.ok(bodyText.includes(text) && bodyText.includes(field), `${field} ${String(value)}: ${bodyText}`)
  }
  for (const extra of [{ deviceId: 'x' }, { colour: 'red' }]) assert.equal((await equip(extra)).status, 400)
  assert.deepEqual((await emered()).equipment, before.equipment)
})

test('users who may not edit or see the light change nothing, nor do other clients; a boiler is refused', async () => {
  const before = await emered()
  for (const [email, status] of [
    [guest, 403],
    [other, 403],
    [limited, 404],
    ['manager@south.test', 404],
  ] as const) {
    assert.equal((await equip({ name: 'Mine' }, email)).status, status, email)
    assert.equal((await monitor('emergency', email)).status, status, email)
  }
  assert.equal((await equip({}, manager, boiler)).status, 403)
  assert.equal((await monitor('single', manager, boiler)).status, 403)
  assert.equal((await equip({}, manager, randomUUID())).status, 404)
  assert.deepEqual(await emered(), before)
})

test('the newest test of each type is shown, longest type first, with how long the light burned', async () => {
  const tested = await addDevice(app, 'north')
  const rows = (
    testType: 'T0' | 'T180',
    start: number,
    series: { seconds: number; batteryVoltage: number }[] = [],
  ) => ({
    ...{ deviceId: tested, tenant, receivedAt: new Date() },
    payload: {
      eventId: randomUUID(),
      testType,
      start,
      componentStates: { Battery: 'Failed' as const },
      result: 'Failed' as const,
      series,
    },
  })
  const start = Date.UTC(2026, 0, 5, 2)
  const curve = [0, 6720, 60].map((seconds) => ({ seconds, batteryVoltage: 3 }))
  await inTenant(app.database.db, tenant, (tx) =>
    ingestTests(tx, [rows('T0', start), rows('T180', start - 86_400_000), rows('T180', start, curve)]),
  )
  const { latestTests } = await emered(tested)
  assert.deepEqual(
    latestTests.map(({ testType, testDate, result, lasted }) => [testType, testDate, result, lasted]),
    [
      ['T180', new Date(start).toISOString(), 'Failed', 6720],
      ['T0', new Date(start).toISOString(), 'Failed', null],
    ],
  )
})

test('a failed test shows the earlier result of the same battery, but not of another one', async () => {
  const light = await addDevice(app, 'north')
  const tested = (testType: 'T60' | 'T180', day: string, Battery: 'Ok' | 'Degraded' | 'Failed') => ({
    ...{ deviceId: light, tenant, receivedAt: new Date() },
    payload: {
      ...{ eventId: randomUUID(), testType, start: Date.parse(`${day}T02:00:00Z`), series: [] },
      ...{ componentStates: { Battery }, result: Battery === 'Ok' ? ('Passed' as const) : Battery },
    },
  })
  const tests = [
    ...[
      tested('T180', '2024-11-16', 'Failed'),
      tested('T180', '2025-11-15', 'Degraded'),
      tested('T180', '2026-11-14', 'Failed'),
    ],
    ...[tested('T60', '2025-05-17', 'Ok'), tested('T60', '2026-05-16', 'Degraded')],
  ]
  await inTenant(app.database.db, tenant, (tx) => ingestTests(tx, tests))
  const same = async () => {
    const { latestTests } = await emered(light)
    return latestTests.map(({ testType, sameBattery }) => [testType, sameBattery?.state, sameBattery?.testDate])
  }
  const silent = [
    ['T180', undefined, undefined],
    ['T60', undefined, undefined],
  ]
  assert.deepEqual(await same(), silent)
  assert.equal((await equip({ batteryInstalledDate: '2022-02-12' }, manager, light)).status, 200)
  assert.deepEqual(await same(), [['T180', 'Degraded', '2025-11-15T02:00:00.000Z'], silent[1]])
  // A repair has since fitted another battery.
  await inTenant(app.database.db, tenant, (tx) =>
    tx
      .insertInto('repair_form')
      .values({
        ...{ tenant_id: tenant, id: randomUUID(), device_id: light, at: new Date(), part: 'equipment' },
        parts: JSON.stringify({ battery: true, inverter: false, lamp: false }),
        ...{ description: '', repaired_by: 'Ann', repaired_on: '2026-01-10', person_id: null, person_name: 'Ann' },
      })
      .execute(),
  )
  assert.deepEqual(await same(), silent)
  // The page shows it too, in place of the day entered before.
  const { batterySince, batteries } = (await emered(light)).equipment
  assert.deepEqual([batterySince, batteries[0]!.installedDate], ['2026-01-10', '2026-01-10'])
})

test('a light shows the highest voltage of its battery since it was fitted, within its client only', async () => {
  const fresh = await addDevice(app, 'north')
  assert.equal((await emered(fresh)).highestVoltage, null)
  const hour = 3_600_000
  const at = (ago: number) => Math.floor((Date.now() - ago * hour) / hour) * hour
  await inTenant(app.database.db, tenant, (tx) =>
    ingestTelemetry(
      tx,
      [
        {
          ...{ deviceId: fresh, tenant, receivedAt: new Date() },
          payload: [
            { ts: at(24 * 20), values: { batteryVoltage: 13.2 } },
            { ts: at(24 * 3), values: { batteryVoltage: 3.7 } },
            { ts: at(2), values: { batteryVoltage: 3.5 } },
          ],
        },
      ],
      seriesCache(),
    ),
  )
  assert.deepEqual((await emered(fresh)).highestVoltage, { voltage: 13.2, since: new Date(at(24 * 20)).toISOString() })
  // The voltage of the former battery is no evidence about the label of this one.
  await equip({ batteryInstalledDate: dayAt(at(24 * 5), 'Europe/London') }, engineer, fresh)
  assert.deepEqual((await emered(fresh)).highestVoltage, { voltage: 3.7, since: new Date(at(24 * 3)).toISOString() })
})
