import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, test } from 'vitest'
import { getDeviceConditions, recordDeviceRepair } from '@caretaker/contract/conditions.ts'
import {
  getDeviceCommands,
  getDeviceTestRuns,
  getTestNights,
  runTest,
  withdrawTest,
} from '@caretaker/contract/lighting.ts'
import { addRepairPhoto, getDeviceRepairForms } from '@caretaker/contract/maintenance.ts'
import { dayAfter, dayAt } from '@caretaker/rules/calendar/days.ts'
import { startOf, localTimeAt } from '@caretaker/rules/lighting/plan.ts'
import { inTenant } from '../../postgres/tenant.ts'
import type { TestApp } from '../../testing/app.ts'
import { testApp } from '../../testing/app.ts'
import { addAccessRightsTag, addDevice } from '../../testing/furnish/devices.ts'
import { jpegOf } from '../../testing/photos.ts'
import { runTests } from '../lighting/engine.ts'
import { ingestTests } from '../lighting/ingest.ts'

const [tenant, zone, hour] = ['north', 'Europe/London', 3_600_000]
const engineer = 'lighting@north.test'
const today = dayAt(Date.now(), zone)
let app: TestApp
beforeAll(async () => {
  app = await testApp()
  for (const id of [tenant, 'south']) await app.addTenant(id)
  await app.addMember(tenant, engineer, 'LightingEngineer')
  await app.addMember(tenant, 'guest@north.test', 'Guest')
  await app.addMember(tenant, 'boiler@north.test', 'BoilerEngineer')
  await app.addMember(tenant, 'limited@north.test', 'Manager', [await addAccessRightsTag(app, tenant, 'Patch')])
  await app.addMember('south', 'manager@south.test', 'Manager')
})
afterAll(() => app.close())

const repair = (deviceId: string, sent: object = {}, email = engineer) =>
  app.send(
    recordDeviceRepair,
    { body: { tenant, deviceId, part: 'equipment', repairedBy: 'Ada Fitter', repairedOn: today, ...sent } as never },
    email,
  )
const nights = async (deviceId: string, sent: object = {}) =>
  (await app.send(getTestNights, { body: { tenant, deviceId, ...sent } }, engineer)).body.data!
const plan = (deviceId: string, sent: object = {}, email = engineer) =>
  app.send(runTest, { body: { tenant, deviceId, testType: 'T180', ...sent } as never }, email)
const runs = async (deviceId: string) =>
  (await app.send(getDeviceTestRuns, { body: { tenant, deviceId } }, engineer)).body.data!
const tested = (deviceId: string, start: number, minutes = 130) =>
  inTenant(app.database.db, tenant, (tx) =>
    ingestTests(tx, [
      {
        // A result arrives when the test has ended.
        ...{ deviceId, tenant, receivedAt: new Date(Math.max(Date.now(), start + 4 * hour)) },
        payload: {
          ...{ eventId: randomUUID(), testType: 'T180', start, result: minutes < 180 ? 'Failed' : 'Passed' },
          componentStates: { Battery: minutes < 180 ? 'Failed' : 'Ok' },
          series: Array.from({ length: minutes / 10 + 1 }, (_, n) => ({ seconds: n * 600, batteryVoltage: 3.8 })),
        } as never,
      },
    ]),
  )
const status = async (deviceId: string) => {
  const { body } = await app.send(getDeviceConditions, { body: { tenant, deviceId } }, engineer)
  return [body.data!.status, ...body.data!.open.map(({ kind, key }) => `${kind} ${key}`)]
}
const localTime = (iso: string) => localTimeAt(Date.parse(iso), zone)

test('one form has parts with model and number, time, battery day and note; the server adds who entered it and when', async () => {
  const light = await addDevice(app, tenant)
  await tested(light, Date.now() - 60 * hour)
  const battery = { part: 'battery', model: 'NiCd stick, 3.6 V, 4.0 Ah', quantity: 1 }
  const parts = [battery, { part: 'luminaire', quantity: 2 }]
  const { body } = await repair(light, {
    ...{ parts, repairedOn: dayAfter(today, -1), repairedTime: '15:10', batteryFittedOn: today, note: 'Pack swollen' },
  })
  assert.equal(body.data!.status, 'RepairedEquipment')
  const forms = await app.send(getDeviceRepairForms, { body: { tenant, deviceId: light, deviceType: 'EM' } }, engineer)
  assert.partialDeepStrictEqual(forms.body.data![0], {
    ...{ id: body.data!.repairId, user: 'lighting', repairedBy: 'Ada Fitter', repairedOn: dayAfter(today, -1) },
    ...{ repairedTime: '15:10', batteryFittedOn: today, replaced: parts, description: 'Pack swollen' },
    data: { battery: true, inverter: false, lamp: false, luminaire: true },
  })
  assert.ok(Math.abs(Date.parse(forms.body.data![0]!.timestamp) - Date.now()) < 60_000)
  // Repaired is not proven: a shorter test proves nothing, an equally long one does.
  assert.deepEqual(await status(light), ['RepairedEquipment', 'equipmentRepaired T180'])
  await tested(light, Date.now() + 1000, 180)
  assert.deepEqual(await status(light), ['Ok'])
})

test('with a new battery a 3-hour test is planned for this light alone, in the first night after 24 h of charge', async () => {
  const light = await addDevice(app, tenant)
  await tested(light, Date.now() - 60 * hour)
  const battery = { batteryOn: today, batteryTime: localTimeAt(Date.now(), zone).slice(11) }
  const offered = await nights(light, battery)
  const first = offered.nights[0]!
  assert.equal(localTime(first.startsAt).slice(11), '02:00')
  assert.ok(Date.parse(first.startsAt) >= Date.now() + 24 * hour - 60_000)
  assert.ok(Date.parse(first.startsAt) < Date.now() + 49 * hour)
  const form = { parts: [{ part: 'battery' }], repairedTime: battery.batteryTime }
  const tooEarly = await repair(light, { ...form, provingTest: localTimeAt(Date.now() + 2 * hour, zone) })
  assert.match(tooEarly.body.message!, /^The battery needs 24 h of charging\. First possible night: .+, 02:00\.$/)
  // Refused as a whole: no repair is stored.
  assert.deepEqual(await status(light), ['FailedEquipment', 'testFailed T180'])
  const saved = await repair(light, { ...form, provingTest: localTime(first.startsAt) })
  assert.equal(saved.body.data!.testStartsAt, first.startsAt)
  assert.partialDeepStrictEqual(await runs(light), [{ testType: 'T180', startsAt: first.startsAt, state: 'waiting' }])
  assert.equal((await nights(light)).planned!.startsAt, first.startsAt)
  // The light is sent the command at the planned time.
  await runTests(app.database.db, new Date(Date.parse(first.startsAt) + 1000))
  const commands = await app.send(getDeviceCommands, { body: { tenant, deviceId: light } }, engineer)
  assert.partialDeepStrictEqual(commands.body.data, [{ name: 'runTest', args: { testType: 'T180' } }])
})

test('a test of one light is never by day without a question or in the past, and replaces the one before', async () => {
  const light = await addDevice(app, tenant)
  const tomorrow = dayAfter(today, 1)
  const noon = await plan(light, { startsAt: `${tomorrow}T12:00` })
  assert.equal(
    noon.body.message,
    'The test would run during the day. Confirm that the building can do without this light until its battery is charged again.',
  )
  assert.equal((await plan(light, { startsAt: `${dayAfter(today, -1)}T02:00` })).body.isSuccessful, false)
  assert.deepEqual(await runs(light), [])
  assert.equal((await plan(light, { startsAt: `${tomorrow}T12:00`, isDayConfirmed: true })).status, 200)
  await plan(light, { startsAt: `${dayAfter(today, 2)}T02:00` })
  assert.deepEqual(
    (await runs(light)).map(({ startsAt }) => startsAt),
    [new Date(startOf(`${dayAfter(today, 2)}T02:00`, zone)).toISOString()],
  )
  // Yesterday's 3-hour test has used the charge.
  const drained = await addDevice(app, tenant)
  await tested(drained, Date.now() - 5 * hour, 180)
  assert.match((await plan(drained, { isDayConfirmed: true })).body.message!, /^The battery needs 24 h of charging\./)
  assert.equal((await plan(drained, { testType: 'T0' })).status, 200)
})

test('a repair and a photo sent again under the same id are recorded once, with what was first entered', async () => {
  const light = await addDevice(app, tenant)
  await tested(light, Date.now() - 60 * hour)
  const form = {
    ...{ requestId: randomUUID(), parts: [{ part: 'lamp' }], repairedOn: dayAfter(today, -1), repairedTime: '15:10' },
  }
  const answers = [await repair(light, form), await repair(light, { ...form, note: 'Sent again' })]
  assert.deepEqual(answers[1]!.body, answers[0]!.body)
  const { repairId } = answers[0]!.body.data!
  const file = new File([jpegOf({})], 'label.jpg', { type: 'image/jpeg' })
  const photo = { tenant, deviceId: light, repairId, requestId: randomUUID(), file }
  const sent = [
    await app.send(addRepairPhoto, { form: photo }, engineer),
    await app.send(addRepairPhoto, { form: photo }, engineer),
  ]
  assert.deepEqual(sent[1]!.body, sent[0]!.body)
  const forms = await app.send(getDeviceRepairForms, { body: { tenant, deviceId: light, deviceType: 'EM' } }, engineer)
  assert.deepEqual(
    forms.body.data!.map(({ id, repairedOn, description, photos }) => [id, repairedOn, description, photos.length]),
    [[repairId, dayAfter(today, -1), '', 1]],
  )
  // A repair's id cannot be used for another device's repair.
  const other = await addDevice(app, tenant)
  assert.equal((await repair(other, { ...form, note: 'x' })).status, 400)
  // Ids of another client are unknown.
  await app.addMember('south', 'lighting@south.test', 'LightingEngineer')
  const theirs = await addDevice(app, 'south')
  const south = await repair(theirs, { ...form, tenant: 'south' }, 'lighting@south.test')
  assert.notEqual(south.body.data!.repairId, repairId)
})

test('the planned test of one light can be withdrawn before it begins by users who may plan it, and is recorded', async () => {
  const light = await addDevice(app, tenant)
  const { runId } = (await plan(light, { startsAt: `${dayAfter(today, 2)}T02:00` })).body.data!
  const withdraw = (sent: object = {}, email = engineer) =>
    app.send(withdrawTest, { body: { tenant, deviceId: light, runId, ...sent } as never }, email)
  for (const [email, code] of [
    ['guest@north.test', 403],
    ['boiler@north.test', 403],
    ['limited@north.test', 404],
    ['manager@south.test', 404],
  ] as const)
    assert.equal((await withdraw({}, email)).status, code, email)
  assert.equal((await nights(light)).planned!.runId, runId)
  const gone = 'The test has begun or is no longer planned.'
  assert.equal((await withdraw({ runId: randomUUID() })).body.message, gone)
  assert.deepEqual((await withdraw()).body.data, { runId })
  assert.equal((await nights(light)).planned, null)
  assert.deepEqual(await runs(light), [])
  assert.equal((await withdraw()).body.message, gone)
  const { rows } = await app.database.owner.query(
    `select person_name, before->>'testType' as type from audit_entry
     where tenant_id = $1 and subject_id = $2 and action = 'light test withdrawn'`,
    [tenant, light],
  )
  assert.deepEqual(rows, [{ person_name: 'lighting', type: 'T180' }])
  // A test that has begun is stopped, not withdrawn.
  const begun = (await plan(light, { startsAt: `${dayAfter(today, 2)}T02:00` })).body.data!
  await runTests(app.database.db, new Date(Date.parse(begun.startsAt) + 1000))
  assert.equal((await withdraw({ runId: begun.runId })).body.message, gone)
})

test('a night with a test of the group is not free', async () => {
  const light = await addDevice(app, tenant)
  const group = randomUUID()
  const starts = startOf(`${dayAfter(today, 3)}T02:00`, zone)
  await app.database.owner.query(
    `insert into building (tenant_id, id, name, address, postcode) values ($1, $2, 'Court', '1 Mill Lane', 'HX1 5TX')`,
    [tenant, group],
  )
  await app.database.owner.query(
    `insert into light_group (tenant_id, id, name, name_key, building_id, t180_start, created_at)
     values ($1, $2, 'Stairs', 'stairs', $2, '2026-01-01 02:00', now())`,
    [tenant, group],
  )
  await app.database.owner.query(
    `insert into light_group_member (tenant_id, device_id, group_id, added_at) values ($1, $2, $3, now())`,
    [tenant, light, group],
  )
  await app.database.owner.query(
    `insert into test_run (tenant_id, id, group_id, group_name, building_id, test_type, starts_at)
     values ($1, $2, $2, 'Stairs', $2, 'T180', $3)`,
    [tenant, group, new Date(starts)],
  )
  const taken = (await nights(light)).nights
    .filter((night) => night.taken)
    .map(({ startsAt }) => localTime(startsAt).slice(0, 10))
  assert.deepEqual(
    taken,
    [2, 3, 4].map((days) => dayAfter(today, days)),
  )
  const refused = await plan(light, { startsAt: `${dayAfter(today, 3)}T02:00` })
  assert.match(refused.body.message!, /^The T180 planned for .+ is too close\. Choose another night\.$/)
})

test('only users who may test and repair a light of their own client plan its test', async () => {
  const light = await addDevice(app, tenant)
  const at = { startsAt: `${dayAfter(today, 2)}T02:00` }
  for (const [email, code] of [
    ['guest@north.test', [403, 403]],
    ['boiler@north.test', [403, 404]],
    ['limited@north.test', [404, 404]],
    ['manager@south.test', [404, 404]],
  ] as const) {
    const answers = [await plan(light, at, email), await repair(light, { note: 'x' }, email)]
    assert.deepEqual(
      answers.map((one) => one.status),
      code,
      email,
    )
  }
  const boiler = await addDevice(app, tenant, { product: 'BX' })
  assert.equal(
    (await repair(boiler, { note: 'x', provingTest: 'function' }, 'boiler@north.test')).body.isSuccessful,
    false,
  )
  assert.deepEqual(await runs(light), [])
})
