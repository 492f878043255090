import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, test } from 'vitest'
import {
  endDeviceCondition,
  getDeviceConditions,
  recordDeviceRepair,
  setDeviceCondition,
  updateInterimMeasure,
} from '@caretaker/contract/conditions.ts'
import type { DeviceRow } from '@caretaker/contract/devices.ts'
import { fetchViewData, getEmered } from '@caretaker/contract/devices.ts'
import { dayAfter, dayAt, dayText } from '@caretaker/rules/calendar/days.ts'
import { severityOf } from '@caretaker/rules/devices/status.ts'
import { inTenant } from '../../postgres/tenant.ts'
import { proofOf } from '../../testing/evidence.ts'
import type { TestApp } from '../../testing/app.ts'
import { testApp } from '../../testing/app.ts'
import { addAccessRightsTag, addDevice } from '../../testing/furnish/devices.ts'
import { makeDue } from '../../postgres/due.ts'
import { rewriteReasons } from '../conditions/reasons.ts'
import { endConditions, recomputeTestConditions } from '../conditions/store.ts'
import { ingestEvents, ingestLinks, ingestStates, sweepConnections } from '../devices/ingest.ts'
import { ingestTests } from '../lighting/ingest.ts'

const tenant = 'north'
const manager = 'manager@north.test'
const engineer = 'lighting@north.test'
const today = dayAt(Date.now(), 'Europe/London')
const hour = 3_600_000
let app: TestApp
let patch: string
beforeAll(async () => {
  app = await testApp()
  await app.addTenant(tenant)
  await app.addTenant('south')
  patch = await addAccessRightsTag(app, tenant, 'Patch')
  await app.addMember(tenant, manager, 'Manager')
  await app.addMember(tenant, engineer, 'LightingEngineer')
  await app.addMember(tenant, 'boiler@north.test', 'BoilerEngineer')
  await app.addMember(tenant, 'guest@north.test', 'Guest')
  await app.addMember(tenant, 'limited@north.test', 'Manager', [patch])
  await app.addMember('south', 'manager@south.test', 'Manager')
})
afterAll(() => app.close())

const work = <T>(run: Parameters<typeof inTenant<T>>[2]) => inTenant(app.database.db, tenant, run)
const conditions = async (deviceId: string, email = manager) =>
  (await app.send(getDeviceConditions, { body: { tenant, deviceId } }, email)).body.data!
const set = (deviceId: string, sent: { condition?: string } & Record<string, unknown>, email = manager) =>
  app.send(
    setDeviceCondition,
    { body: { tenant, deviceId, condition: 'disabledOther', ...(!sent.condition && isolation), ...sent } as never },
    email,
  )
/** The required fields of an isolation. */
const isolation = { note: 'Ceiling is open', until: '2099-12-31', interimMeasure: 'Torches' }
const end = (deviceId: string, conditionId: string, email = manager, more: object = {}) =>
  app.send(endDeviceCondition, { body: { tenant, deviceId, conditionId, ...more } }, email)
const measure = (deviceId: string, conditionId: string, interimMeasure = 'Torch by the door', email = manager) =>
  app.send(updateInterimMeasure, { body: { tenant, deviceId, conditionId, interimMeasure } }, email)
const repair = (deviceId: string, sent: object = {}, email = manager) =>
  app.send(
    recordDeviceRepair,
    {
      body: {
        tenant,
        deviceId,
        part: 'equipment',
        repairedBy: 'Ada Fitter',
        repairedOn: today,
        note: 'Mended',
        ...sent,
      } as never,
    },
    email,
  )
const tested = (deviceId: string, testType: 'T0' | 'T180', result: 'Passed' | 'Failed', start: number) => {
  const componentStates = { Battery: result === 'Failed' ? ('Failed' as const) : ('Ok' as const) }
  const payload = { eventId: randomUUID(), testType, start, componentStates, result, series: [] }
  if (result === 'Passed') Object.assign(payload, { statusBits: proofOf(testType) })
  const receivedAt = new Date(Math.max(Date.now(), start + 4 * hour))
  return work((tx) => ingestTests(tx, [{ deviceId, tenant, payload, receivedAt }]))
}
const reported = (deviceId: string, payload: Record<string, unknown>) =>
  work((tx) => ingestStates(tx, [{ deviceId, tenant, payload: payload as never, receivedAt: new Date() }]))

test('a failed light shows why, since when and what would end it, and keeps that in its history', async () => {
  const light = await addDevice(app, tenant)
  const at = Date.now() - 48 * hour
  await tested(light, 'T180', 'Failed', at)
  await tested(light, 'T0', 'Passed', at + hour)
  const now = await conditions(light)
  assert.deepEqual([now.status, now.since], ['FailedEquipment', new Date(at).toISOString()])
  assert.partialDeepStrictEqual(now.open, [{ kind: 'testFailed', key: 'T180', states: { Battery: 'Failed' } }])
  assert.ok(now.open[0]!.testEventId)
  assert.equal(now.open[0]!.mayBeEnded, false)
  const { body } = await app.send(getEmered, { body: { tenant, deviceId: light } }, manager)
  assert.deepEqual([body.data!.statusReason, body.data!.statusSince], ['Battery T180', new Date(at).toISOString()])
  await tested(light, 'T180', 'Passed', at + 2 * hour)
  const later = await conditions(light)
  assert.deepEqual([later.status, later.since, later.open], ['Ok', new Date(at + 2 * hour).toISOString(), []])
  assert.partialDeepStrictEqual(later.ended, [{ kind: 'testFailed', ending: 'test passed' }])
})

/** The lights with this reason, and their reasons as shown on a page. */
const withReason = async (value: string, email = manager) => {
  const filters = [{ fieldId: 'statusReason', filterOp: 'contains', value }] as const
  const sent = {
    tenant,
    listing: 'EmergencyLights',
    filters: [...filters],
    sorts: [{ fieldId: 'statusReason', descending: false }],
  }
  const { status, body } = await app.send(fetchViewData, { body: sent as never }, email)
  assert.equal(status, 200)
  return (body.data!.rows as DeviceRow[]).map(({ deviceId, deviceStatusReason }) => [deviceId, deviceStatusReason])
}

test('lights are found by the failed part, the test, and the other reasons for their status', async () => {
  const [light, other] = [await addDevice(app, tenant), await addDevice(app, tenant, { accessRightsTagId: patch })]
  const at = Date.now() - 48 * hour
  await tested(light, 'T180', 'Failed', at)
  assert.deepEqual(await withReason('battery t180'), [[light, 'Battery T180']])
  // Another part fails in the same test: the status stays, the reason changes.
  const payload = {
    ...{ eventId: randomUUID(), testType: 'T180', start: at + hour, result: 'Failed', series: [] },
    componentStates: { Battery: 'Failed', Lamp: 'Failed' },
  } as const
  await work((tx) => ingestTests(tx, [{ deviceId: light, tenant, payload: payload as never, receivedAt: new Date() }]))
  assert.deepEqual(await withReason('t180 battery'), [[light, 'Battery, Lamp T180']])
  assert.deepEqual(await withReason('inverter t180'), [])
  assert.deepEqual(await withReason('lamp'), [[light, 'Battery, Lamp T180']])
  await set(other, { condition: 'equipmentBroken' })
  assert.deepEqual(await withReason('broken'), [[other, 'Broken']])
  assert.deepEqual(await withReason('broken', 'limited@north.test'), [[other, 'Broken']])
  assert.deepEqual(await withReason('lamp', 'limited@north.test'), [])
  await repair(light)
  assert.deepEqual(await withReason('lamp'), [])
})

test('missing or outdated reasons are rewritten by a job until none is left', async () => {
  const [light, other] = [await addDevice(app, tenant), await addDevice(app, tenant)]
  await tested(light, 'T180', 'Failed', Date.now() - hour)
  const { owner } = app.database
  const leave = (ids: string[], reason: string | null) =>
    owner.query('update device set status_reason = $2, status_reason_folded = lower($2) where id = any($1)', [
      ids,
      reason,
    ])
  const dueAt = async () =>
    (await owner.query(`select due_at from due where work = 'settle reasons' and tenant_id = $1`, [tenant])).rows[0]
      ?.due_at
  const now = new Date()
  await leave([light], null)
  await leave([other], 'Lamp T0')
  await work((tx) => makeDue(tx, 'settle reasons', now))
  assert.equal(await rewriteReasons(app.database.db, now), 2)
  const ofThese = async (value: string) => (await withReason(value)).filter(([id]) => id === light || id === other)
  assert.deepEqual(await ofThese('battery t180'), [[light, 'Battery T180']])
  assert.deepEqual(await ofThese('lamp t0'), [])
  const again = new Date(+now + hour)
  assert.deepEqual(await dueAt(), again)
  assert.equal(await rewriteReasons(app.database.db, now), 0)
  assert.equal(await rewriteReasons(app.database.db, again), 0)
  assert.equal(await dueAt(), undefined)
})

test('a finding of a test cannot be ended by a user', async () => {
  const light = await addDevice(app, tenant)
  await tested(light, 'T180', 'Failed', Date.now() - hour)
  const [failed] = (await conditions(light)).open
  const refused = await end(light, failed!.conditionId)
  assert.deepEqual([refused.status, refused.body.isSuccessful], [200, false])
  assert.equal((await conditions(light)).status, 'FailedEquipment')
})

test('an interim measure stays when the failure is reported again or found to be earlier, and ends with it', async () => {
  const light = await addDevice(app, tenant)
  const at = Date.now() - 48 * hour
  await tested(light, 'T180', 'Failed', at)
  const failed = async () => (await conditions(light)).open.find(({ kind }) => kind === 'testFailed')!
  const first = await failed()
  assert.equal(first.interimMeasure, null)
  assert.equal((await measure(light, first.conditionId, ' Torch by the door ')).status, 200)
  const stored = (await failed()).interimMeasure!
  assert.deepEqual([stored.text, stored.by], ['Torch by the door', 'manager'])
  await tested(light, 'T180', 'Failed', at + hour)
  assert.deepEqual((await failed()).interimMeasure, stored)
  assert.notEqual((await failed()).testEventId, first.testEventId)
  // A late test: the failure began earlier than was known, and the entry shows when it was made.
  await tested(light, 'T180', 'Failed', at - hour)
  const earlier = await failed()
  assert.deepEqual([earlier.conditionId, earlier.beganAt], [first.conditionId, new Date(at - hour).toISOString()])
  assert.deepEqual(earlier.interimMeasure, stored)
  assert.equal((await measure(light, earlier.conditionId, 'Stairwell is closed', engineer)).status, 200)
  const { text, by } = (await failed()).interimMeasure!
  assert.deepEqual([text, by], ['Stairwell is closed', 'lighting'])
  await tested(light, 'T180', 'Passed', at + 2 * hour)
  const over = await conditions(light)
  assert.equal(over.ended[0]!.interimMeasure!.text, 'Stairwell is closed')
  const refused = await measure(light, earlier.conditionId)
  assert.deepEqual([refused.body.isSuccessful, refused.body.message], [false, 'This condition has already ended.'])
  await tested(light, 'T180', 'Failed', at + 3 * hour)
  assert.equal((await failed()).interimMeasure, null)
  const { rows } = await app.database.owner.query(
    `select person_name, before, after from audit_entry where subject_id = $1 and action = 'interim measure changed' order by at`,
    [light],
  )
  const entry = (person: string, before: string | null, after: string) => ({
    ...{ person_name: person, before: { interimMeasure: before } },
    after: { interimMeasure: after, condition: 'testFailed' },
  })
  assert.deepEqual(rows, [
    entry('manager', null, 'Torch by the door'),
    entry('lighting', 'Torch by the door', 'Stairwell is closed'),
  ])
})

test('an interim measure is removed by an empty text, and belongs to a defect of the device itself', async () => {
  const [light, other] = [await addDevice(app, tenant), await addDevice(app, tenant)]
  await set(light, { condition: 'equipmentBroken', note: 'Smashed' })
  const [broken] = (await conditions(light)).open
  await measure(light, broken!.conditionId)
  await measure(light, broken!.conditionId, '')
  assert.partialDeepStrictEqual((await conditions(light)).open, [{ note: 'Smashed', interimMeasure: null }])
  assert.equal((await measure(light, broken!.conditionId, 'x'.repeat(501))).status, 400)
  for (const [deviceId, conditionId] of [
    [other, broken!.conditionId],
    [light, randomUUID()],
  ] as const)
    assert.equal((await measure(deviceId, conditionId)).status, 404)
  await set(light, {})
  const disabled = (await conditions(light)).open.find(({ kind }) => kind === 'disabledOther')!
  assert.equal((await measure(light, disabled.conditionId)).body.isSuccessful, true)
})

test('a failed boiler works again when its fault clears, with or without a reset', async () => {
  const boiler = await addDevice(app, tenant, { product: 'BX' })
  const since = new Date(Date.now() - 5 * hour).toISOString()
  await reported(boiler, {
    faultCode: 'EA',
    fault: { faultSource: 'boiler', isResettable: true, timestamp: since, description: 'Flame not detected' },
  })
  const failed = await conditions(boiler)
  assert.deepEqual([failed.status, failed.since], ['FailedEquipment', since])
  assert.partialDeepStrictEqual(failed.open, [{ kind: 'fault', key: 'boiler EA', description: 'Flame not detected' }])
  await reported(boiler, { firmware: '4.2' })
  assert.equal((await conditions(boiler)).since, since)
  await reported(boiler, { faultCode: 'None', fault: null })
  const now = await conditions(boiler)
  assert.deepEqual([now.status, now.open], ['Ok', []])
  assert.partialDeepStrictEqual(now.ended, [{ kind: 'fault', ending: 'fault gone' }])
})

test('a boiler that reports another fault with every message keeps only the last 500', async () => {
  const boiler = await addDevice(app, tenant, { product: 'BX' })
  for (let batch = 0; batch < 3; batch++)
    for (let n = 0; n < 200; n++) await reported(boiler, { faultCode: `F${batch * 200 + n} ${'x'.repeat(400)}` })
  const { rows } = await app.database.owner.query<{ n: number; longest: number }>(
    'select count(*)::int as n, max(length(key)) as longest from condition where device_id = $1',
    [boiler],
  )
  assert.deepEqual(rows, [{ n: 501, longest: 107 }])
  const { open } = await conditions(boiler)
  assert.match(open[0]!.key, /^boiler F599 x+$/)
})

test('another fault replaces the first; a fault of the device itself is a failed device', async () => {
  const boiler = await addDevice(app, tenant, { product: 'BX' })
  await reported(boiler, { faultCode: 'EA', fault: { faultSource: 'boiler' } })
  await reported(boiler, { faultCode: 'F28' })
  assert.deepEqual(
    (await conditions(boiler)).open.map(({ key }) => key),
    ['boiler F28'],
  )
  const gateway = await addDevice(app, tenant, { product: 'ZG' })
  await reported(gateway, { faultCode: 'HW1' })
  assert.deepEqual(
    [(await conditions(gateway)).status, (await conditions(gateway)).open[0]!.key],
    ['FailedDevice', 'device HW1'],
  )
})

const heardLast = (deviceId: string, heardAt: Date) =>
  work((tx) => ingestLinks(tx, [{ deviceId, heardAt, drops: [] }], new Date(+heardAt)))

test('a device without contact for a day and a half has failed since its last message, until the next', async () => {
  const boiler = await addDevice(app, tenant, { product: 'BX' })
  const heardAt = new Date(Date.now() - 37 * hour)
  await heardLast(boiler, heardAt)
  await sweepConnections(app.database.db, new Date(+heardAt + 35 * hour))
  assert.equal((await conditions(boiler)).status, 'Ok')
  await sweepConnections(app.database.db, new Date(+heardAt + 36 * hour))
  const silent = await conditions(boiler)
  assert.deepEqual([silent.status, silent.since], ['FailedDevice', heardAt.toISOString()])
  assert.equal(silent.open[0]!.kind, 'notHeard')
  await heardLast(boiler, new Date())
  assert.deepEqual([(await conditions(boiler)).status, (await conditions(boiler)).ended[0]!.ending], ['Ok', 'heard'])
})

test('a light or gateway has no contact after a day without a message; so does a light behind an offline gateway', async () => {
  const gateway = await addDevice(app, tenant, { product: 'ZG' })
  const [light, below] = [await addDevice(app, tenant), await addDevice(app, tenant, { parentId: gateway })]
  const heardAt = new Date(Date.now() - 37 * hour)
  for (const id of [gateway, light]) await heardLast(id, heardAt)
  // It reports twice a day, so three reports are missing only later.
  await app.database.owner.query('update device set reporting_interval = 43200 where id = $1', [below])
  await heardLast(below, new Date(+heardAt - hour))
  await sweepConnections(app.database.db, new Date(+heardAt + 23 * hour))
  assert.equal((await conditions(light)).status, 'Ok')
  await sweepConnections(app.database.db, new Date(+heardAt + 24 * hour))
  for (const id of [light, gateway]) {
    const { status, since, open } = await conditions(id)
    assert.deepEqual([status, since, open[0]!.kind], ['Installed', heardAt.toISOString(), 'noContact'])
  }
  await sweepConnections(app.database.db, new Date(+heardAt + 36 * hour))
  // A light without contact has not failed, but is not well either; a gateway without contact has failed.
  assert.deepEqual(
    [(await conditions(light)).status, (await conditions(gateway)).status],
    ['Installed', 'FailedDevice'],
  )
  const unreachable = await conditions(below)
  assert.deepEqual([unreachable.status, unreachable.open[0]!.kind], ['Installed', 'noContact'])
  for (const id of [gateway, light, below]) await heardLast(id, new Date())
  for (const id of [gateway, light, below]) {
    const now = await conditions(id)
    assert.deepEqual([now.status, now.open, now.ended[0]!.ending], ['Ok', [], 'heard'])
  }
})

test('an inhibited light, or one without mains, warns as long as it reports so', async () => {
  const light = await addDevice(app, tenant)
  const open = async () => (await conditions(light)).open.map(({ kind }) => kind)
  await reported(light, { inhibited: true, mains: true })
  assert.deepEqual(await open(), ['inhibited'])
  await reported(light, { mains: false })
  assert.deepEqual(
    [(await open()).toSorted(), (await conditions(light)).status],
    [['inhibited', 'noMains'], 'PreventativeMaintenance'],
  )
  await reported(light, { mains: true, inhibited: false })
  assert.deepEqual([await open(), (await conditions(light)).status], [[], 'Ok'])
})

test('a high-severity event fails its light until it is over; a boiler has faults for that', async () => {
  const [light, boiler] = [await addDevice(app, tenant), await addDevice(app, tenant, { product: 'BX' })]
  const start = Date.now() - hour
  const send = (deviceId: string, eventId: string, severity: 'High' | 'Low', end?: number) =>
    work((tx) =>
      ingestEvents(tx, [
        {
          ...{ deviceId, tenant, receivedAt: new Date() },
          payload: {
            ...{ eventId, start, severity, category: 'Battery failure', description: 'Battery at 0.3 V' },
            ...(end && { end }),
          },
        },
      ]),
    )
  const [severe, mild] = [randomUUID(), randomUUID()]
  await send(light, mild, 'Low')
  assert.equal((await conditions(light)).status, 'Ok')
  await send(light, severe, 'High')
  await send(boiler, randomUUID(), 'High')
  const failed = await conditions(light)
  assert.deepEqual([failed.status, failed.since], ['FailedEquipment', new Date(start).toISOString()])
  assert.partialDeepStrictEqual(failed.open, [{ kind: 'highEvent', key: 'Battery failure', mayBeEnded: true }])
  assert.equal((await conditions(boiler)).status, 'Ok')
  await send(light, severe, 'High', start + 60_000)
  assert.deepEqual([(await conditions(light)).status, (await conditions(light)).ended[0]!.ending], ['Ok', 'event over'])
})

test('correcting a result ends its failure with an entry in the history', async () => {
  const light = await addDevice(app, tenant)
  await tested(light, 'T180', 'Failed', Date.now() - 48 * hour)
  const [failure] = (await conditions(light)).open
  await app.database.owner.query(`update emergency_test set result = 'Suppressed' where device_id = $1`, [light])
  const by = { id: null, name: 'Ada' }
  await work((tx) => recomputeTestConditions(tx, [light], { by, note: 'Wrong light' }))
  const { open, ended } = await conditions(light)
  assert.deepEqual(open, [])
  assert.partialDeepStrictEqual(ended, [
    { conditionId: failure!.conditionId, ending: 'result changed', endedBy: 'Ada', endNote: 'Wrong light' },
  ])
  // Nothing computed later changes the entry.
  await tested(light, 'T180', 'Passed', Date.now() - 24 * hour)
  assert.deepEqual((await conditions(light)).ended, ended)
})

test('a device in stock may stay offline', async () => {
  const light = await addDevice(app, tenant, { status: 'Inventory' })
  const heardAt = new Date(Date.now() - 100 * hour)
  await work((tx) => ingestLinks(tx, [{ deviceId: light, heardAt, drops: [] }], new Date(+heardAt)))
  await sweepConnections(app.database.db, new Date())
  assert.deepEqual((await conditions(light)).status, 'Inventory')
})

test('a light can be isolated only with a reason, a last day and an interim measure, and never for non-payment', async () => {
  const light = await addDevice(app, tenant)
  for (const [field, message] of Object.entries({
    note: 'Enter the reason for the isolation.',
    until: 'Enter the last day of the isolation.',
    interimMeasure: 'Enter the interim measure.',
  })) {
    const { [field as 'note']: _, ...others } = isolation
    const { status, body } = await set(light, { condition: 'disabledOther', ...others })
    assert.deepEqual([status, body.message], [400, message])
  }
  assert.equal((await set(light, { condition: 'disabledNonPayment' })).status, 400)
  assert.deepEqual((await conditions(light)).open, [])
  assert.equal((await set(light, {})).body.data!.status, 'DisabledOther')
  const [open] = (await conditions(light)).open
  assert.partialDeepStrictEqual(open, { note: 'Ceiling is open', until: '2099-12-31', by: 'manager' })
  assert.partialDeepStrictEqual(open!.interimMeasure, { text: 'Torches', by: 'manager' })
  const boiler = await addDevice(app, tenant, { product: 'BX' })
  assert.equal((await set(boiler, { condition: 'disabledOther', note: 'Gas is off' })).status, 400)
  assert.equal((await set(boiler, { condition: 'disabledOther', note: 'Gas is off', until: '2099-12-31' })).status, 200)
})

test('no status set by a user removes a failed light from the failed ones, even if it was set before', async () => {
  const light = await addDevice(app, tenant)
  await tested(light, 'T180', 'Failed', Date.now() - 48 * hour)
  await set(light, {})
  await set(light, { condition: 'maintenance' })
  const failed = async () => {
    const { rows } = await app.database.owner.query<{ status: string; reason: string; severity: number }>(
      'select status, status_reason as reason, severity from device where id = $1',
      [light],
    )
    return Object.values(rows[0]!)
  }
  assert.deepEqual(await failed(), ['FailedEquipment', 'Battery T180', severityOf('FailedEquipment')])
  // As a previous version stored it.
  await app.database.owner.query(
    `update device set status = 'DisabledOther', severity = $2, status_reason = null where id = $1`,
    [light, severityOf('DisabledOther')],
  )
  await app.database.owner.query(
    `insert into due (work, tenant_id, due_at) values ('settle reasons', $1, '1970-01-01')
     on conflict (work, tenant_id) do update set due_at = excluded.due_at`,
    [tenant],
  )
  await rewriteReasons(app.database.db)
  assert.deepEqual(await failed(), ['FailedEquipment', 'Battery T180', severityOf('FailedEquipment')])
})

test('one user disables a device with a note, and another ends that', async () => {
  const boiler = await addDevice(app, tenant, { product: 'BX' })
  const { body } = await set(boiler, { condition: 'disabledNonPayment', note: ' Rent of May ' })
  assert.equal(body.data!.status, 'DisabledNonPayment')
  const [open] = (await conditions(boiler)).open
  assert.partialDeepStrictEqual(open, {
    kind: 'disabledNonPayment',
    by: 'manager',
    note: 'Rent of May',
    mayBeEnded: true,
  })
  assert.equal((await set(boiler, { condition: 'disabledNonPayment' })).status, 409)
  assert.equal((await end(boiler, open!.conditionId, 'boiler@north.test', { note: 'Paid' })).body.data!.status, 'Ok')
  const [over] = (await conditions(boiler)).ended
  assert.partialDeepStrictEqual(over, { ending: 'ended by a person', endedBy: 'boiler', endNote: 'Paid' })
  assert.equal((await end(boiler, open!.conditionId)).status, 404)
  const { rows } = await app.database.owner.query<{ action: string; person_name: string }>(
    `select action, person_name from audit_entry where subject_id = $1 order by at`,
    [boiler],
  )
  assert.deepEqual(rows, [
    { action: 'device condition set', person_name: 'manager' },
    { action: 'device condition ended', person_name: 'boiler' },
  ])
})

test('a status set until a day ends by itself after that day', async () => {
  const light = await addDevice(app, tenant)
  assert.equal((await set(light, { condition: 'maintenance', until: dayAfter(today, -1) })).status, 400)
  await set(light, { condition: 'maintenance', until: dayAfter(today, 1) })
  assert.equal((await conditions(light)).open[0]!.until, dayAfter(today, 1))
  await endConditions(app.database.db, new Date(Date.now() + 23 * hour))
  assert.equal((await conditions(light)).status, 'PreventativeMaintenance')
  await endConditions(app.database.db, new Date(Date.now() + 49 * hour))
  const now = await conditions(light)
  assert.deepEqual([now.status, now.ended[0]!.ending], ['Ok', 'time over'])
})

test('a repair with name and date clears earlier failed tests, and warns until an equally long test passes', async () => {
  const light = await addDevice(app, tenant)
  await tested(light, 'T180', 'Failed', Date.now() - 48 * hour)
  const { body } = await repair(light, { note: 'New battery' })
  assert.equal(body.data!.status, 'RepairedEquipment')
  const [open] = (await conditions(light)).open
  assert.partialDeepStrictEqual(open, {
    kind: 'equipmentRepaired',
    key: 'T180',
    repairedBy: 'Ada Fitter',
    repairedOn: today,
    note: 'New battery',
    by: 'manager',
  })
  assert.equal(open!.mayBeEnded, false)
  assert.equal((await end(light, open!.conditionId)).body.isSuccessful, false)
  await tested(light, 'T0', 'Passed', Date.now() + 1000)
  assert.equal((await conditions(light)).status, 'RepairedEquipment')
  await tested(light, 'T180', 'Passed', Date.now() + 2000)
  const now = await conditions(light)
  assert.equal(now.status, 'Ok')
  assert.deepEqual(new Set(now.ended.map(({ ending }) => ending)), new Set(['test passed', 'repair recorded']))
})

test('a repair cannot precede the first open fault, and clears no later failure', async () => {
  const light = await addDevice(app, tenant)
  const first = Date.now() - 10 * 24 * hour
  await tested(light, 'T0', 'Failed', first)
  await tested(light, 'T180', 'Failed', Date.now() - hour)
  const early = await repair(light, { repairedOn: dayAfter(today, -20) })
  assert.equal(early.status, 400)
  const { validationErrors } = early.body as unknown as { validationErrors: { field: string; message: string }[] }
  const day = dayText(dayAt(first, 'Europe/London'))
  assert.deepEqual(validationErrors, [
    { field: 'repairedOn', message: `The repair cannot be before the fault on ${day}` },
  ])
  assert.equal((await repair(light, { repairedOn: dayAfter(today, -3) })).body.data!.status, 'FailedEquipment')
})

test('an invalid repair is refused, each field with its reason', async () => {
  const light = await addDevice(app, tenant)
  for (const [sent, field] of [
    [{ repairedOn: dayAfter(today, 1) }, 'repairedOn'],
    [{ repairedOn: '2026-02-30' }, 'repairedOn'],
    [{ repairedBy: '  ' }, 'repairedBy'],
    [{ part: 'roof' }, 'part'],
    [{ note: ' ' }, 'note'],
    [{ repairedTime: '25:00' }, 'repairedTime'],
    [{ parts: [{ part: 'lamp' }, { part: 'lamp' }] }, 'parts'],
    [{ parts: [{ part: 'battery' }], batteryFittedOn: dayAfter(today, 1) }, 'batteryFittedOn'],
  ] as const) {
    const { status, body } = await repair(light, sent)
    assert.equal(status, 400)
    assert.deepEqual(
      (body as unknown as { validationErrors: { field: string }[] }).validationErrors.map((one) => one.field),
      [field],
    )
  }
})

test('no condition can be set on a device in stock', async () => {
  const light = await addDevice(app, tenant, { status: 'Inventory' })
  for (const { body } of [await set(light, {}), await repair(light)])
    assert.deepEqual([body.isSuccessful, body.message], [false, 'The device is not in service.'])
})

test('users without the right to edit cannot set conditions; a hidden device is not found', async () => {
  const light = await addDevice(app, tenant)
  const forbidden = async (email: string) => [
    (await set(light, {}, email)).status,
    (await repair(light, {}, email)).status,
  ]
  assert.deepEqual(await forbidden('guest@north.test'), [403, 403])
  assert.deepEqual(await forbidden('boiler@north.test'), [404, 404])
  assert.deepEqual(await forbidden('limited@north.test'), [404, 404])
  const asked = await app.send(
    getDeviceConditions,
    { body: { tenant: 'south', deviceId: light } },
    'manager@south.test',
  )
  assert.equal(asked.status, 404)
  const device = await addDevice(app, tenant)
  await set(device, {})
  const [seen] = (await conditions(device, 'guest@north.test')).open
  assert.deepEqual([seen!.kind, seen!.mayBeEnded], ['disabledOther', false])
  assert.equal((await end(device, seen!.conditionId, 'guest@north.test')).status, 403)
  await set(device, { condition: 'equipmentBroken' })
  const broken = (await conditions(device)).open.find(({ kind }) => kind === 'equipmentBroken')!
  for (const [email, status] of [
    ['guest@north.test', 403],
    ['boiler@north.test', 404],
    ['limited@north.test', 404],
  ] as const)
    assert.equal((await measure(device, broken.conditionId, 'None', email)).status, status)
  const sent = { tenant: 'south', deviceId: device, conditionId: broken.conditionId, interimMeasure: 'None' }
  assert.equal((await app.send(updateInterimMeasure, { body: sent }, 'manager@south.test')).status, 404)
  assert.equal((await conditions(light)).status, 'Ok')
})

test('simultaneous requests set a condition once', async () => {
  const light = await addDevice(app, tenant)
  const answers = await Promise.all(Array.from({ length: 5 }, () => set(light, {})))
  assert.deepEqual(
    answers.map(({ status }) => status).toSorted((a, b) => a - b),
    [200, 409, 409, 409, 409],
  )
  assert.equal((await conditions(light)).open.length, 1)
})
