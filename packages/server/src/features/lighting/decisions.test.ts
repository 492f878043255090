import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, test } from 'vitest'
import { getDeviceConditions } from '@caretaker/contract/conditions.ts'
import { exportInspectionSheet } from '@caretaker/contract/inspection.ts'
import {
  decideTestDispute,
  disputeTestResult,
  exportAllTests,
  getAllDeviceTests,
  getAllTests,
  updateTestResult,
} from '@caretaker/contract/lighting.ts'
import type { TestResult, TestType } from '@caretaker/rules/lighting/tests.ts'
import { inTenant } from '../../postgres/tenant.ts'
import type { TestApp } from '../../testing/app.ts'
import { testApp } from '../../testing/app.ts'
import { addAccessRightsTag, addDevice } from '../../testing/furnish/devices.ts'
import { readXlsx } from '../../testing/read-xlsx.ts'
import { ingestTests } from './ingest.ts'

let it: TestApp
let building: string
const tenant = 'north'
const [admin, engineer, guest, limited, boilers] = ['admin', 'engineer', 'guest', 'limited', 'boilers'].map(
  (name) => `${name}@north.test`,
) as [string, string, string, string, string]
beforeAll(async () => {
  it = await testApp()
  for (const id of [tenant, 'south']) await it.addTenant(id)
  await it.addMember(tenant, admin, 'Admin')
  await it.addMember(tenant, engineer, 'LightingEngineer')
  await it.addMember(tenant, guest, 'Guest')
  await it.addMember(tenant, boilers, 'BoilerEngineer')
  await it.addMember(tenant, limited, 'LightingEngineer', [await addAccessRightsTag(it, tenant, 'Patch')])
  await it.addMember('south', 'admin@south.test', 'Admin')
  building = randomUUID()
  await it.database.owner.query(
    `insert into building (tenant_id, id, name, address, postcode) values ($1, $2, 'Court', '1 Mill Lane', 'HX1 5TX')`,
    [tenant, building],
  )
})
afterAll(() => it.close())

const start = Date.UTC(2026, 5, 5, 1)
interface ReportedTest {
  eventId: string
  testType?: TestType
  result?: TestResult
  minutes?: number
  componentStates?: object
  statusBits?: object
}
const report = (deviceId: string, { minutes, ...reported }: ReportedTest) =>
  inTenant(it.database.db, tenant, (tx) =>
    ingestTests(tx, [
      {
        ...{ deviceId, tenant, receivedAt: new Date() },
        payload: {
          ...{ testType: 'T180', start, componentStates: {} },
          series:
            minutes === undefined
              ? []
              : Array.from({ length: minutes + 1 }, (_, at) => ({ seconds: at * 60, batteryVoltage: 3.8 })),
          ...reported,
        } as never,
      },
    ]),
  )
/** A light in the building whose 3-hour test ended after this many minutes. */
async function failedLight(name = 'Stairwell B', reported: Partial<ReportedTest> = { minutes: 130 }) {
  const [deviceId, eventId] = [await addDevice(it, tenant, { name }), randomUUID()]
  await it.database.owner.query(
    `update device set building_id = $3, building_name = 'Court' where tenant_id = $1 and id = $2`,
    [tenant, deviceId, building],
  )
  await report(deviceId, { eventId, result: 'Failed', componentStates: { Battery: 'Failed' }, ...reported })
  return { deviceId, eventId }
}
const correct = (form: object, email = admin) =>
  it.send(updateTestResult, { form: { tenant, ...form } } as never, email)
const dispute = (body: object, email = engineer) =>
  it.send(disputeTestResult, { body: { tenant, reason: 'Mains came back', ...body } } as never, email)
const decide = (body: object, email = admin) =>
  it.send(decideTestDispute, { body: { tenant, reason: 'Site log read', ...body } } as never, email)
const known = async (deviceId: string, eventId?: string) => {
  const { body } = await it.send(getAllDeviceTests, { body: { tenant, deviceId } }, engineer)
  return body.data!.find((one) => eventId === undefined || one.eventId === eventId)!
}
const standing = async (deviceId: string) => {
  const { status, open } = (await it.send(getDeviceConditions, { body: { tenant, deviceId } }, engineer)).body.data!
  return [status, ...open.map(({ kind, key }) => `${kind} ${key}`)]
}
const failed = ['FailedEquipment', 'testFailed T180']

test('no correction may contradict the curve, the duration result or the status bits of a test', async () => {
  const short = await failedLight()
  const parts = { Battery: 'Ok', Inverter: 'Ok', Lamp: 'Ok', Emered: 'Ok' }
  for (const states of [parts, { ...parts, Battery: 'Degraded' }]) {
    const { body } = await correct({ ...short, ...states, reason: 'Seen lit' })
    const word = states.Battery === 'Ok' ? 'Passed' : 'Degraded'
    assert.deepEqual(
      [body.isSuccessful, body.message],
      [false, `The readings show 2 h 10 min of 3 h, so the result cannot become “${word}”.`],
    )
  }
  assert.deepEqual(await standing(short.deviceId), failed)
  const reported = await failedLight('Reported short', { statusBits: { durationResult: 65, emergency: 4 } })
  const refused = await correct({ ...reported, ...parts, reason: 'Seen lit' })
  assert.equal(refused.body.message, 'The readings show 2 h 10 min of 3 h, so the result cannot become “Passed”.')
  const lamp = await failedLight('Lamp', { testType: 'T0', statusBits: { failure: 8, emergency: 2 } })
  assert.equal(
    (await correct({ ...lamp, ...parts, reason: 'Seen lit' })).body.message,
    'The light reports its lamp as failed, so it cannot become “Ok”.',
  )
  // The form knows beforehand what is ruled out.
  assert.deepEqual((await known(lamp.deviceId)).ruledOut!.parts, { Lamp: 'The light reports its lamp as failed' })
  assert.equal((await known(short.deviceId)).ruledOut!.passed, 'The readings show 2 h 10 min of 3 h')
  // Indeterminate contradicts nothing.
  const { body } = await correct({ ...short, otherState: 'Indeterminate', reason: 'Riser was switched on' })
  assert.equal(body.data!.result, 'Indeterminate')
})

test('a correction is shown with the former verdict, who, when and why: in the call, the CSV and the sheet', async () => {
  const { deviceId, eventId } = await failedLight('Lift lobby')
  await correct({ deviceId, eventId, otherState: 'Indeterminate', reason: 'Riser was switched on' })
  const { corrected, changes } = await known(deviceId)
  assert.partialDeepStrictEqual(corrected, { by: 'admin', reason: 'Riser was switched on', was: { result: 'Failed' } })
  assert.partialDeepStrictEqual(changes, [
    { kind: 'corrected', by: 'admin', reason: 'Riser was switched on', was: 'Failed', now: 'Indeterminate' },
  ])
  const list = await it.send(getAllTests, { body: { tenant, decision: 'corrected', text: 'Lift lobby' } }, engineer)
  assert.deepEqual(
    list.body.data!.tests.map((one) => [one.eventId, one.corrected?.was.result]),
    [[eventId, 'Failed']],
  )
  const file = await it.app.inject({
    ...{ method: 'POST', url: exportAllTests.path, payload: { tenant, eventId } },
    headers: { authorization: `Bearer ${await it.token(engineer)}` },
  })
  const [heads, row] = file.body.trim().split('\r\n')
  assert.match(heads!, /"Corrected","Reason for correction","Disputed","Reason for dispute"$/)
  assert.match(row!, /"by admin, [^"]+; was Failed","Riser was switched on","",""$/)
  const cells = (await sheet()).flat()
  assert.ok(
    cells.some((cell) => /Corrected from Failed to Indeterminate by admin, .+: “Riser was switched on”\./.test(cell)),
  )
})

/** The test rows of the inspector's sheet of the building. */
async function sheet() {
  const answer = await it.app.inject({
    ...{ method: 'POST', url: exportInspectionSheet.path },
    payload: { tenant, buildingId: building, from: '2026-06-01', to: '2026-06-30', format: 'xlsx' },
    headers: { authorization: `Bearer ${await it.token(engineer)}` },
  })
  assert.equal(answer.statusCode, 200)
  return readXlsx(answer.rawPayload, 5).rows
}

test('a disputed result awaits review, and its light counts as failed until an administrator decides', async () => {
  const { deviceId, eventId } = await failedLight('Plant room')
  const answer = await dispute({ deviceId, eventId })
  assert.equal(answer.status, 200, JSON.stringify(answer.body))
  const { result, disputed } = await known(deviceId)
  assert.equal(result, 'AwaitingReview')
  assert.partialDeepStrictEqual(disputed, { by: 'engineer', reason: 'Mains came back', countsAs: 'Failed' })
  assert.deepEqual(await standing(deviceId), failed)
  // Neither the light itself nor a later message decides.
  await report(deviceId, { eventId, result: 'Passed', minutes: 180 })
  await report(deviceId, { eventId: randomUUID(), testType: 'T0', result: 'Passed', componentStates: { Lamp: 'Ok' } })
  assert.equal((await known(deviceId, eventId)).disputed?.countsAs, 'Failed')
  assert.deepEqual(await standing(deviceId), failed)
  const list = (await it.send(getAllTests, { body: { tenant, decision: 'disputed' } }, admin)).body.data!
  assert.deepEqual([list.tests.map((one) => one.eventId), list.total], [[eventId], 1])
  const cells = (await sheet()).flat().map(String)
  assert.ok(cells.some((cell) => /Result Failed disputed by engineer, .+: “Mains came back”\./.test(cell)))
  assert.equal((await dispute({ deviceId, eventId })).status, 409)
  const kept = await decide({ deviceId, eventId, decision: 'keep' })
  assert.deepEqual([kept.body.data!.result, kept.body.data!.disputed], ['Failed', null])
  assert.deepEqual(
    kept.body.data!.changes.map(({ kind, by, reason }) => [kind, by, reason]),
    [
      ['disputed', 'engineer', 'Mains came back'],
      ['kept', 'admin', 'Site log read'],
    ],
  )
  assert.deepEqual(await standing(deviceId), failed)
})

test('an administrator changes a disputed result to Indeterminate; the former verdict stays visible', async () => {
  const { deviceId, eventId } = await failedLight('Corridor')
  await dispute({ deviceId, eventId })
  const { body } = await decide({ deviceId, eventId, decision: 'indeterminate', reason: 'Mains was on at 04:10' })
  assert.partialDeepStrictEqual(body.data, {
    ...{ result: 'Indeterminate', disputed: null },
    corrected: { by: 'admin', reason: 'Mains was on at 04:10', was: { result: 'Failed' } },
  })
  assert.ok(!(await standing(deviceId)).includes('testFailed T180'))
  const { rows } = await it.database.owner.query<{ action: string; after: object }>(
    `select action, after from audit_entry where subject_id = $1 and action like 'test %' order by at`,
    [deviceId],
  )
  assert.deepEqual(
    rows.map(({ action }) => action),
    ['test result disputed', 'test dispute decided'],
  )
  assert.partialDeepStrictEqual(rows[1]!.after, { result: 'Indeterminate', decision: 'Mains was on at 04:10' })
})

test('a correction to a pending state removes no failure', async () => {
  for (const otherState of ['AwaitingReview', 'AwaitingAnalysis']) {
    const { deviceId, eventId } = await failedLight(otherState)
    const { body } = await correct({ deviceId, eventId, otherState, reason: 'To be looked at' })
    assert.deepEqual([body.data!.result, body.data!.disputed?.countsAs], [otherState, 'Failed'])
    assert.deepEqual(await standing(deviceId), failed)
  }
})

test('only a result that counts against a light can be disputed, with a reason, by users with the right', async () => {
  const { deviceId, eventId } = await failedLight('Hall')
  for (const reason of ['', '  ', '-']) assert.equal((await dispute({ deviceId, eventId, reason })).status, 400)
  for (const [email, status] of [
    [guest, 403],
    [boilers, 403],
    [limited, 404],
    ['admin@south.test', 404],
  ] as const)
    assert.equal((await dispute({ deviceId, eventId }, email)).status, status, email)
  assert.equal((await decide({ deviceId, eventId, decision: 'keep' })).body.message, 'This result is not disputed.')
  const passed = await failedLight('Good', { testType: 'T0', result: 'Passed', componentStates: { Lamp: 'Ok' } })
  assert.equal((await dispute(passed)).body.message, 'Only a failed or degraded result can be disputed.')
  assert.equal((await known(deviceId)).result, 'Failed')
  await dispute({ deviceId, eventId })
  for (const [email, status] of [
    [engineer, 403],
    [guest, 403],
    ['admin@south.test', 404],
  ] as const)
    assert.equal((await decide({ deviceId, eventId, decision: 'keep' }, email)).status, status, email)
  assert.equal((await known(deviceId)).result, 'AwaitingReview')
})
