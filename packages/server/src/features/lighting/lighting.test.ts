import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, test } from 'vitest'
import type { z } from 'zod'
import { getAllDeviceTests, getDeviceCommands, runT0Test } from '@caretaker/contract/lighting.ts'
import type { Test } from '@caretaker/contract/mqtt/payloads.ts'
import { inTenant } from '../../postgres/tenant.ts'
import type { TestApp } from '../../testing/app.ts'
import { testApp } from '../../testing/app.ts'
import { addAccessRightsTag, addDevice } from '../../testing/furnish/devices.ts'
import { ingestReplies } from '../commands/ingest.ts'
import { takeDueCommands } from '../commands/store.ts'
import { proofOf } from '../../testing/evidence.ts'
import { ingestTests } from './ingest.ts'

let it: TestApp
const engineer = 'engineer@north.test'
const guest = 'guest@north.test'
const stranger = 'stranger@south.test'
beforeAll(async () => {
  it = await testApp()
  await it.addTenant('north')
  await it.addTenant('south')
  await it.addMember('north', engineer, 'LightingEngineer')
  await it.addMember('north', guest, 'Guest')
  await it.addMember('south', stranger, 'Manager')
})
afterAll(() => it.close())

const press = (deviceId: string, email = engineer, tenant = 'north') =>
  it.send(runT0Test, { form: { tenant, deviceId } }, email)
const results = async (deviceId: string, email = engineer) =>
  (await it.send(getAllDeviceTests, { body: { tenant: 'north', deviceId } }, email)).body.data!
const commands = async (deviceId: string) =>
  (await it.send(getDeviceCommands, { body: { tenant: 'north', deviceId } }, engineer)).body.data!
const device = async (id: string) =>
  inTenant(it.database.db, 'north', (tx) =>
    tx
      .selectFrom('device')
      .select(['name', 'status', 'severity', 'status_at'])
      .where('tenant_id', '=', 'north')
      .where('id', '=', id)
      .executeTakeFirstOrThrow(),
  )

/** The series of an answer whose points have only the battery voltage. */
const curve = (points: readonly { seconds: number; batteryVoltage: number }[]) => [
  {
    ...{ dataSeriesId: 'batteryVoltage', label: 'Battery', unit: 'V', secondary: true },
    series: points.map(({ seconds, batteryVoltage }) => ({ seconds, value: batteryVoltage })),
  },
]

type ReportedTest = z.input<typeof Test>
const start = Date.UTC(2026, 0, 5, 10)
const testOf = (change: Partial<ReportedTest> = {}): ReportedTest => ({
  eventId: crypto.randomUUID(),
  testType: 'T0',
  start,
  // A result without evidence is not a result.
  componentStates: change.result === 'Passed' ? { Battery: 'Ok' } : {},
  ...(change.result === 'Passed' && change.testType && { statusBits: proofOf(change.testType) }),
  series: [],
  ...change,
})
const report = (deviceId: string, ...tests: ReportedTest[]) =>
  inTenant(it.database.db, 'north', (tx) =>
    ingestTests(
      tx,
      tests.map((payload) => ({ deviceId, tenant: 'north', payload, receivedAt: new Date() })),
    ),
  )

test('a flick test is queued, sent and confirmed by the light; its result appears [dev-7actions-8 dev-7actions-34]', async () => {
  const light = await addDevice(it, 'north')
  const { status, body } = await press(light)
  assert.equal(status, 200)
  assert.equal(body.message, 'Flick test queued')
  assert.equal(body.data!.status, 'queued')
  const { commandId } = body.data!
  const [due] = await takeDueCommands(it.database.db, [light], 10)
  assert.deepEqual([due!.commandId, due!.name, due!.args], [commandId, 'runTest', { testType: 'T0' }])
  const { db } = it.database
  await inTenant(db, 'north', (tx) =>
    ingestReplies(tx, [
      { deviceId: light, tenant: 'north', payload: { commandId, status: 'confirmed' }, receivedAt: new Date() },
    ]),
  )
  assert.deepEqual(
    (await commands(light)).map((command) => [command.commandId, command.status]),
    [[commandId, 'confirmed']],
  )

  const eventId = crypto.randomUUID()
  await report(light, testOf({ eventId }))
  const [waiting] = await results(light)
  assert.deepEqual([waiting!.result, waiting!.reason], ['AwaitingAnalysis', '-'])
  const series = [
    { seconds: 0, batteryVoltage: 4 },
    { seconds: 10, batteryVoltage: 3.9 },
  ]
  await report(light, testOf({ eventId, result: 'Passed', componentStates: { Battery: 'Ok', Lamp: 'Ok' }, series }))
  assert.deepEqual(await results(light), [
    {
      eventId,
      deviceId: light,
      deviceName: (await device(light)).name,
      deviceBatteryVoltage: null,
      deviceCurrentStatus: 'Ok',
      buildingName: null,
      testDate: new Date(start).toISOString(),
      testType: 'T0',
      result: 'Passed',
      reason: 'Device successfully completed test.',
      componentStates: { Battery: 'Ok', Lamp: 'Ok' },
      lasted: 10,
      evidenceEnd: null,
      reportedStart: null,
      reportedResult: 'Passed',
      corrected: null,
      disputed: null,
      changes: [],
      ruledOut: { passed: null, parts: {} },
      series: curve(series),
    },
  ])
})

test('pressed twice, or by two users at once, before the light answers, it is one command', async () => {
  const light = await addDevice(it, 'north')
  const answers = await Promise.all([press(light), press(light), press(light)])
  const ids = new Set([...answers, await press(light)].map(({ body }) => body.data!.commandId))
  assert.equal(ids.size, 1)
  assert.equal((await commands(light)).length, 1)
})

test('users without the right are refused with 403, and nothing is queued', async () => {
  const light = await addDevice(it, 'north')
  assert.equal((await press(light, guest)).status, 403)
  assert.deepEqual(await commands(light), [])
})

test('a light of another tenant, or hidden from the user, is not found', async () => {
  const [ours, theirs] = [await addDevice(it, 'north'), await addDevice(it, 'south')]
  const [mine, other] = [await addAccessRightsTag(it, 'north', 'Mine'), await addAccessRightsTag(it, 'north', 'Other')]
  await it.addMember('north', 'limited@north.test', 'LightingEngineer', [mine])
  const hidden = await addDevice(it, 'north', { accessRightsTagId: other })
  const shown = await addDevice(it, 'north', { accessRightsTagId: mine })
  const statuses = [
    await press(theirs),
    await press(ours, stranger),
    await press(ours, stranger, 'south'),
    await press(crypto.randomUUID()),
    await press(hidden, 'limited@north.test'),
    await press(ours, 'limited@north.test'),
    await press(shown, 'limited@north.test'),
  ].map(({ status }) => status)
  assert.deepEqual(statuses, [404, 404, 404, 404, 404, 404, 200])
  const seen = await it.send(getAllDeviceTests, { body: { tenant: 'north', deviceId: hidden } }, 'limited@north.test')
  assert.equal(seen.status, 404)
  assert.deepEqual(await commands(hidden), [])
})

test('a device that is not a light, not installed or in wholesale is refused with the reason', async () => {
  const refused = async (deviceId: string) => {
    const { status, body } = await press(deviceId)
    return [status, body.isSuccessful, body.message]
  }
  await it.addMember('north', 'admin@north.test', 'Admin')
  const gateway = await addDevice(it, 'north', { product: 'MG' })
  const { status, body } = await press(gateway, 'admin@north.test')
  assert.deepEqual([status, body.isSuccessful, body.message], [200, false, 'Only emergency lights can be tested.'])
  assert.deepEqual(await refused(await addDevice(it, 'north', { status: 'Inventory' })), [
    200,
    false,
    'A device that is not installed cannot be tested.',
  ])
  assert.deepEqual(await refused(await addDevice(it, 'north', { inWholesale: true })), [
    200,
    false,
    'A device in wholesale cannot be tested.',
  ])
})

test('at most 500 results are listed newest first, with long curves thinned but their lowest point kept', async () => {
  const light = await addDevice(it, 'north')
  const series = Array.from({ length: 2000 }, (_, n) => ({ seconds: n, batteryVoltage: n === 1234 ? 1 : 4 - n / 2000 }))
  const tests = Array.from({ length: 505 }, (_, n) =>
    testOf({ start: start + n * 60_000, ...(n === 504 && { series }), result: 'Passed' }),
  )
  await report(light, ...tests)
  const listed = await results(light)
  assert.deepEqual(
    listed.map((one) => one.eventId),
    tests
      .toReversed()
      .slice(0, 500)
      .map((one) => one.eventId),
  )
  const shown = listed[0]!.series[0]!.series
  assert.ok(shown.length <= 202)
  assert.deepEqual(
    [shown[0]!.seconds, shown.at(-1)!.seconds, Math.min(...shown.map((point) => point.value))],
    [0, 1999, 1],
  )
})

test("a final result sets the light's status and severity from the test's start; an indeterminate one warns", async () => {
  const light = await addDevice(it, 'north')
  await report(light, testOf({ result: 'Degraded', componentStates: { Battery: 'Degraded' } }))
  const worn = await device(light)
  assert.deepEqual([worn.status, worn.severity, +worn.status_at], ['PreventativeMaintenance', 4, start])
  await report(
    light,
    testOf({ start: start + 1, result: 'Failed', componentStates: { Lamp: 'Failed', Battery: 'Degraded' } }),
  )
  const failed = await device(light)
  assert.deepEqual([failed.status, failed.severity, +failed.status_at], ['FailedEquipment', 5, start + 1])
  assert.equal(
    (await results(light))[0]!.reason,
    'Predicted Failed Components: Lamp. Predicted degraded Components: Battery.',
  )
  await report(light, testOf({ start: start + 2, result: 'Passed' }))
  assert.deepEqual([(await device(light)).status, +(await device(light)).status_at], ['Ok', start + 2])
  await report(light, testOf({ start: start + 3, result: 'Indeterminate' }))
  assert.deepEqual([(await device(light)).status, (await results(light))[0]!.reason], ['PreventativeMaintenance', '-'])
})

test('a passed flick test leaves a failed three-hour test as it is, in either order of arrival', async () => {
  const [light, other] = [await addDevice(it, 'north'), await addDevice(it, 'north')]
  const long = testOf({ testType: 'T180', result: 'Failed', componentStates: { Battery: 'Failed' } })
  const flick = testOf({ start: start + 1000, result: 'Passed' })
  for (const payload of [long, flick]) await report(light, payload)
  for (const payload of [testOf({ ...flick, eventId: randomUUID() }), testOf({ ...long, eventId: randomUUID() })])
    await report(other, payload)
  for (const id of [light, other]) {
    const { status, status_at } = await device(id)
    assert.deepEqual([status, +status_at], ['FailedEquipment', start])
  }
  await report(light, testOf({ testType: 'T180', start: start + 2000, result: 'Passed' }))
  assert.equal((await device(light)).status, 'Ok')
})

test('a late result shortens or ends what was known, as if it had arrived in time', async () => {
  const light = await addDevice(it, 'north')
  const failed = testOf({ testType: 'T60', start: start + 1000, result: 'Failed', componentStates: { Lamp: 'Failed' } })
  await report(light, failed)
  await report(light, testOf({ testType: 'T60', start, result: 'Failed', componentStates: { Lamp: 'Failed' } }))
  assert.equal(+(await device(light)).status_at, start)
  await report(light, testOf({ testType: 'T180', start: start + 500, result: 'Passed' }))
  assert.equal(+(await device(light)).status_at, start + 1000)
  await report(light, testOf({ testType: 'T180', start: start + 2000, result: 'Passed' }))
  assert.deepEqual([(await device(light)).status, +(await device(light)).status_at], ['Ok', start + 2000])
})

test('a light that is not installed keeps its status, whatever its test reports', async () => {
  const light = await addDevice(it, 'north', { status: 'Inventory' })
  await report(light, testOf({ result: 'Failed', componentStates: { Lamp: 'Failed' } }))
  assert.equal((await device(light)).status, 'Inventory')
})

test('an older test that arrives late does not undo a newer one', async () => {
  const light = await addDevice(it, 'north')
  await report(light, testOf({ start: start + 1000, result: 'Passed' }))
  await report(light, testOf({ start, result: 'Failed', componentStates: { Lamp: 'Failed' } }))
  assert.equal((await device(light)).status, 'Ok')
  assert.equal((await results(light)).length, 2)
})

test('a repeated message changes nothing, and a final result is never reversed', async () => {
  const light = await addDevice(it, 'north')
  const eventId = crypto.randomUUID()
  const waiting = testOf({ eventId, series: [{ seconds: 0, batteryVoltage: 4 }] })
  const final = testOf({ eventId, result: 'Failed', componentStates: { Battery: 'Failed' } })
  await report(light, waiting)
  await report(light, waiting)
  assert.equal((await results(light))[0]!.result, 'AwaitingAnalysis')
  await report(light, final, waiting)
  const [once, after] = [await results(light), await device(light)]
  assert.deepEqual(once[0]!.series, curve(waiting.series))
  await report(light, waiting)
  await report(light, final)
  await report(light, { ...final, result: 'Passed', componentStates: { Battery: 'Ok' } })
  assert.deepEqual(await results(light), once)
  assert.deepEqual(await device(light), after)
})

test('a test reported and finished within one batch is stored once with its result', async () => {
  const light = await addDevice(it, 'north')
  const eventId = crypto.randomUUID()
  const series = [{ seconds: 0, batteryVoltage: 4 }]
  await report(
    light,
    testOf({ eventId, series }),
    testOf({ eventId, result: 'AwaitingReview' }),
    testOf({ eventId: eventId.toUpperCase(), result: 'Passed' }),
  )
  const stored = await results(light)
  assert.deepEqual(
    stored.map((one) => [one.eventId, one.result, one.series]),
    [[eventId, 'Passed', curve(series)]],
  )
})

test("tests of other devices, and reports about another light's test, are returned and change nothing", async () => {
  const [light, other] = [await addDevice(it, 'north'), await addDevice(it, 'north')]
  const boiler = await addDevice(it, 'north', { product: 'BX' })
  const theirs = await addDevice(it, 'south')
  const mine = testOf()
  assert.deepEqual(await report(light, mine), { notAllowed: [], contradicting: [] })
  const failed = { ...mine, result: 'Failed' as const, componentStates: { Lamp: 'Failed' as const } }
  for (const device of [other, boiler, theirs]) {
    const returned = await report(device, failed)
    assert.deepEqual(
      returned.notAllowed.map((message) => [message.deviceId, message.payload]),
      [[device, failed]],
    )
  }
  assert.equal((await results(light))[0]!.result, 'AwaitingAnalysis')
  assert.deepEqual([(await device(other)).status, (await device(boiler)).status], ['Ok', 'Ok'])
})

test('a batch of 2,000 tests of 500 lights takes as many statements as one with a single test', async () => {
  const lights: string[] = []
  for (let n = 0; n < 500; n++) lights.push(await addDevice(it, 'north'))
  const outcomes = ['Passed', 'Degraded', 'Failed', undefined] as const
  const batch = lights.flatMap((deviceId, n) =>
    [0, 1, 2, 3].map((age) => ({
      deviceId,
      tenant: 'north',
      payload: testOf({
        start: start - age * 1000,
        result: outcomes[(n + age) % 4],
        series: [{ seconds: 1, batteryVoltage: 4 }],
      }),
      receivedAt: new Date(),
    })),
  )
  const statements = async (messages: typeof batch) => {
    let count = 0
    const counting = it.database.db.withPlugin({
      transformQuery: ({ node }) => (count++, node),
      transformResult: async ({ result }) => result,
    })
    const not = await inTenant(counting, 'north', (tx) => ingestTests(tx, messages))
    assert.deepEqual(not, { notAllowed: [], contradicting: [] })
    return count
  }
  const [first, ...others] = batch
  const one = await statements([first!])
  assert.ok(one > 3)
  assert.ok((await statements(others)) <= one + 8, 'as many more as there are ways in which conditions change')

  const rows = await inTenant(it.database.db, 'north', (tx) =>
    tx
      .selectFrom('device')
      .select(['id', 'status'])
      .where('tenant_id', '=', 'north')
      .where('id', 'in', lights)
      .execute(),
  )
  const statusOf = new Map(rows.map((row) => [row.id, row.status]))
  // A failure lasts until a test passes; a result pending analysis changes nothing.
  const expected = ['Ok', 'FailedEquipment', 'FailedEquipment', 'Ok']
  assert.deepEqual(
    lights.map((id) => statusOf.get(id)),
    lights.map((_, n) => expected[n % 4]),
  )
  assert.equal((await results(lights[0]!)).length, 4)
})
