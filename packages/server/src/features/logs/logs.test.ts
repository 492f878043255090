import assert from 'node:assert/strict'
import { afterAll, beforeAll, test } from 'vitest'
import { setDeviceCondition } from '@caretaker/contract/conditions.ts'
import { updateDeviceBuildingLocation } from '@caretaker/contract/devices.ts'
import { runT0Test } from '@caretaker/contract/lighting.ts'
import type { LogEntry } from '@caretaker/contract/logs.ts'
import { getDeviceLogs, logPageSize } from '@caretaker/contract/logs.ts'
import type { LogCategory } from '@caretaker/rules/logs/logs.ts'
import { logCategories } from '@caretaker/rules/logs/logs.ts'
import { audit } from '../../audit/audit.ts'
import { inTenant } from '../../postgres/tenant.ts'
import type { TestApp } from '../../testing/app.ts'
import { testApp } from '../../testing/app.ts'
import { addAccessRightsTag, addDevice } from '../../testing/furnish/devices.ts'
import { applyCommandAnswers } from '../commands/store.ts'
import { happened } from '../conditions/store.ts'

const tenant = 'north'
const manager = 'manager@north.test'
let app: TestApp
let patch: string
beforeAll(async () => {
  app = await testApp()
  await app.addTenant(tenant)
  await app.addTenant('south')
  patch = await addAccessRightsTag(app, tenant, 'Patch')
  await app.addMember(tenant, manager, 'Manager')
  await app.addMember(tenant, 'lighting@north.test', 'LightingEngineer')
  await app.addMember(tenant, 'boiler@north.test', 'BoilerEngineer')
  await app.addMember(tenant, 'guest@north.test', 'Guest')
  await app.addMember(tenant, 'limited@north.test', 'Manager', [patch])
  await app.addMember(tenant, 'dev@north.test', 'Developer', [patch])
  await app.addMember('south', 'manager@south.test', 'Manager')
})
afterAll(() => app.close())

type Before = { timestamp: string; id: string }
const send = (deviceId: string, more: { category?: LogCategory; before?: Before } = {}, email = manager, of = tenant) =>
  app.send(getDeviceLogs, { body: { tenant: of, deviceId, ...more } }, email)
const logOf = async (deviceId: string, category?: LogCategory) =>
  (await send(deviceId, category ? { category } : {})).body.data!.entries

test('an entry has category, action, subject, person and time, newest first [dev-3ent-29]', async () => {
  const deviceId = await addDevice(app, tenant)
  await app.send(updateDeviceBuildingLocation, { body: { tenant, deviceId, room: 'Hall' } }, manager)
  await app.send(updateDeviceBuildingLocation, { body: { tenant, deviceId, room: 'Kitchen' } }, manager)
  await app.send(setDeviceCondition, { body: { tenant, deviceId, condition: 'maintenance', note: 'Soon' } }, manager)
  const { commandId } = (await app.send(runT0Test, { form: { tenant, deviceId } }, manager)).body.data!
  await inTenant(app.database.db, tenant, async (tx) => {
    const answer = { commandId, deviceId, message: 'Charging', answeredAt: new Date() }
    await applyCommandAnswers(tx, [{ ...answer, status: 'failed' }])
    const fault = { source: 'device', code: 'E1', evidence: { description: 'Too hot' } } as const
    await happened(tx, [
      { deviceId, occurrence: { what: 'fault', at: 1000, ...fault } },
      { deviceId, occurrence: { what: 'fault gone', at: 2000 } },
    ])
  })
  const entries = await logOf(deviceId)
  assert.deepEqual(
    entries.map(({ category, description }) => [category, description]),
    [
      ['Command', 'Flick test: refused by the device (Charging)'],
      ['Status', 'Due for maintenance. “Soon”'],
      ['Change', 'Device moved'],
      ['Change', 'Device moved'],
      ['Fault', 'Over: Fault E1 of the device: Too hot. The device stopped reporting it.'],
      ['Fault', 'Fault E1 of the device: Too hot'],
    ],
  )
  const [command, condition, change, , over] = entries
  assert.deepEqual(command!.data, { command: 'runTest', status: 'failed' })
  assert.deepEqual(condition!.data, { condition: 'maintenance', ended: false })
  assert.deepEqual(change!.data, { before: { room: 'Hall' }, after: { room: 'Kitchen' } })
  for (const { user } of [command!, condition!, change!]) assert.ok(user)
  assert.equal(over!.user, null)
  assert.equal(over!.timestamp, '1970-01-01T00:00:02.000Z')
  const times = entries.map(({ timestamp }) => Date.parse(timestamp))
  assert.deepEqual(
    times,
    times.toSorted((a, b) => b - a),
  )
  for (const category of logCategories)
    assert.deepEqual(
      await logOf(deviceId, category),
      entries.filter((entry) => entry.category === category),
      category,
    )
})

test('an untouched device has an empty log; entries before an uninstallation are left out', async () => {
  const deviceId = await addDevice(app, tenant)
  assert.deepEqual(await logOf(deviceId), [])
})

const record = (deviceId: string, of: string, after: Record<string, unknown>) =>
  inTenant(app.database.db, of, (tx) =>
    audit(tx, {
      person: { id: null, name: 'Somebody' },
      action: 'device moved',
      subject: { type: 'device', id: deviceId, name: 'A device' },
      before: null,
      after,
    }),
  )

test('pages of fifty have no duplicates and leave nothing out, even at equal times', async () => {
  const deviceId = await addDevice(app, tenant)
  await inTenant(app.database.db, tenant, async (tx) => {
    for (let n = 0; n < 70; n++)
      await audit(tx, {
        person: { id: null, name: `Person ${n}` },
        action: 'device moved',
        subject: { type: 'device', id: deviceId, name: 'A device' },
      })
  })
  const seen: LogEntry[] = []
  for (let before: Before | undefined; ;) {
    const { entries, hasMore } = (await send(deviceId, before ? { before } : {})).body.data!
    assert.ok(entries.length <= logPageSize)
    seen.push(...entries)
    if (!hasMore) break
    before = entries.at(-1)!
  }
  assert.equal(seen.length, 70)
  assert.equal(new Set(seen.map(({ user }) => user)).size, 70)
})

test('limited and read-only users, other areas and tenants see nothing; developers do', async () => {
  const light = await addDevice(app, tenant, { product: 'EM', accessRightsTagId: patch })
  const boiler = await addDevice(app, tenant, { product: 'BX', accessRightsTagId: patch })
  for (const [email, ofLight, ofBoiler] of [
    [manager, 200, 200],
    ['lighting@north.test', 200, 404],
    ['boiler@north.test', 404, 200],
    ['guest@north.test', 403, 403],
    ['limited@north.test', 403, 403],
    ['dev@north.test', 200, 200],
    ['manager@south.test', 404, 404],
  ] as const) {
    assert.equal((await send(light, {}, email)).status, ofLight, email)
    assert.equal((await send(boiler, {}, email)).status, ofBoiler, email)
  }
  assert.equal((await send(light, {}, 'manager@south.test', 'south')).status, 404)
})

test('with HideCustomerPersonalData the log contains no address, before or after', async () => {
  await app.addTenant('private', { features: ['HideCustomerPersonalData'] })
  await app.addMember('private', manager, 'Manager')
  const deviceId = await addDevice(app, 'private')
  await record(deviceId, 'private', {
    address: '1 Secret Street',
    latitude: 53.1,
    details: { postcode: 'SE1 1CR' },
    room: 'Hall',
  })
  const { entries } = (await send(deviceId, {}, manager, 'private')).body.data!
  assert.deepEqual(
    entries.map(({ data }) => data),
    [{ before: null, after: { details: {}, room: 'Hall' } }],
  )
})
