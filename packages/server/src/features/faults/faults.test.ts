import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, test } from 'vitest'
import { autofillReset, boilerReset } from '@caretaker/contract/actions.ts'
import { getBoiler } from '@caretaker/contract/boilers.ts'
import { shouldUpdateDevice } from '@caretaker/contract/devices.ts'
import { getBoilerFaults } from '@caretaker/contract/faults.ts'
import { inTenant } from '../../postgres/tenant.ts'
import type { TestApp } from '../../testing/app.ts'
import { testApp } from '../../testing/app.ts'
import { addAccessRightsTag, addDevice } from '../../testing/furnish/devices.ts'
import { applyCommandAnswers } from '../commands/store.ts'
import { ingestStates } from '../devices/ingest.ts'

const tenant = 'north'
const manager = 'manager@north.test'
const engineer = 'boiler@north.test'
const hour = 3_600_000
let app: TestApp
let patch: string
beforeAll(async () => {
  app = await testApp()
  await app.addTenant(tenant)
  await app.addTenant('south')
  patch = await addAccessRightsTag(app, tenant, 'Patch')
  await app.addMember(tenant, manager, 'Manager')
  await app.addMember(tenant, engineer, 'BoilerEngineer')
  await app.addMember(tenant, 'lighting@north.test', 'LightingEngineer')
  await app.addMember(tenant, 'limited@north.test', 'Manager', [patch])
  await app.addMember('south', 'manager@south.test', 'Manager')
})
afterAll(() => app.close())

/** A device reports its state, as over the device link. */
const reportState = (deviceId: string, payload: Record<string, unknown>, receivedAt = new Date()) =>
  inTenant(app.database.db, tenant, (tx) =>
    ingestStates(tx, [{ deviceId, tenant, payload: payload as never, receivedAt }]),
  )
const lockout = (since: number, more: object = {}) => ({
  faultCode: 'EA',
  fault: {
    faultCode: 'EA',
    description: 'Flame not detected',
    timestamp: new Date(since).toISOString(),
    faultSource: 'boiler',
    isResettable: true,
    ...more,
  },
})
const well = { faultCode: 'None', fault: null }
const filling = (since: number) => ({
  ...lockout(since, { faultSource: 'autofill', faultCode: 'AF1', description: 'Pressure not reached' }),
  faultCode: 'AF1',
})
const faultsOf = async (deviceId: string, range: { from?: number; to?: number } = {}, email = manager) =>
  app.send(getBoilerFaults, { body: { tenant, deviceId, ...range } }, email)
const shownFaults = async (deviceId: string, range?: { from?: number; to?: number }) =>
  (await faultsOf(deviceId, range)).body.data!

test('a fault has its code, meaning, start, device and whether a reset ends it [dev-3ent-23]', async () => {
  const deviceId = await addDevice(app, tenant, { product: 'BX' })
  const since = Date.now() - hour
  await reportState(deviceId, lockout(since))
  const [fault, ...others] = await shownFaults(deviceId)
  assert.deepEqual(others, [])
  assert.partialDeepStrictEqual(fault, {
    faultCode: 'EA',
    description: 'Flame not detected',
    timestamp: new Date(since).toISOString(),
    faultSource: 'boiler',
    isResettable: true,
    deviceId,
    endedAt: null,
  })
  await reportState(deviceId, well)
  const [over] = await shownFaults(deviceId)
  assert.ok(over!.endedAt !== null && over!.isResettable && !over!.endedByReset)
})

test('faults of a boiler and of its autofills, newest first, within the range', async () => {
  const boiler = await addDevice(app, tenant, { product: 'BX' })
  const extender = await addDevice(app, tenant, { product: 'ZR', parentId: boiler })
  const autofill = await addDevice(app, tenant, { product: 'AF', parentId: extender })
  const other = await addDevice(app, tenant, { product: 'AF' })
  const now = Date.now()
  const at = (hours: number) => new Date(now - hours * hour)
  await reportState(boiler, lockout(+at(50), { isResettable: false }), at(50))
  await reportState(boiler, well, at(48))
  await reportState(autofill, filling(+at(20)), at(20))
  await reportState(other, filling(+at(20)), at(20))
  await reportState(boiler, lockout(+at(2)), at(2))
  const codes = async (range?: { from?: number; to?: number }) =>
    (await shownFaults(boiler, range)).map(({ faultCode, timestamp }) => [
      faultCode,
      (now - Date.parse(timestamp)) / hour,
    ])
  assert.deepEqual(await codes(), [
    ['EA', 2],
    ['AF1', 20],
    ['EA', 50],
  ])
  const [, filled, first] = await shownFaults(boiler)
  assert.partialDeepStrictEqual(filled, { faultSource: 'autofill', deviceId: autofill, endedAt: null })
  assert.equal(first!.isResettable, false)
  assert.deepEqual(await codes({ from: +at(49) }), [
    ['EA', 2],
    ['AF1', 20],
    ['EA', 50],
  ])
  assert.deepEqual(await codes({ from: +at(47) }), [
    ['EA', 2],
    ['AF1', 20],
  ])
  assert.deepEqual(await codes({ to: +at(19) }), [
    ['AF1', 20],
    ['EA', 50],
  ])
  assert.equal((await faultsOf(boiler, { from: 2, to: 1 })).status, 400)
})

test('a fault ended by a reset names the user; one whose reset was refused does not', async () => {
  const boiler = await addDevice(app, tenant, { product: 'BX' })
  await reportState(boiler, lockout(Date.now() - hour))
  const reset = async (status: 'confirmed' | 'failed') => {
    const { body } = await app.send(boilerReset, { body: { tenant, deviceId: boiler } }, engineer)
    const { commandId } = body.data!
    await inTenant(app.database.db, tenant, (tx) =>
      applyCommandAnswers(tx, [{ commandId, deviceId: boiler, status, message: null, answeredAt: new Date() }]),
    )
  }
  await reset('failed')
  assert.partialDeepStrictEqual(await shownFaults(boiler), [{ endedAt: null, endedByReset: false, resets: 1 }])
  await reset('confirmed')
  await reportState(boiler, well)
  const [over] = await shownFaults(boiler)
  assert.partialDeepStrictEqual(over, { endedByReset: true, resets: 2 })
  assert.ok(over!.resetBy)
})

test('an autofill is reset by its own command, and its fault is hidden from users who do not see it', async () => {
  const boiler = await addDevice(app, tenant, { product: 'BX', accessRightsTagId: patch })
  const autofill = await addDevice(app, tenant, { product: 'AF', parentId: boiler })
  await reportState(autofill, filling(Date.now() - hour))
  assert.equal((await faultsOf(boiler, {}, manager)).body.data!.length, 1)
  assert.equal((await faultsOf(boiler, {}, 'limited@north.test')).body.data!.length, 0)
  const send = (email: string) => app.send(autofillReset, { body: { tenant, deviceId: autofill } }, email)
  assert.equal((await send(engineer)).status, 403, 'an engineer of boilers may not edit what is misc')
  assert.equal((await send(manager)).body.isSuccessful, true)
})

test('other areas, tenants and kinds of devices are hidden', async () => {
  const boiler = await addDevice(app, tenant, { product: 'BX' })
  const light = await addDevice(app, tenant, { product: 'EM' })
  for (const [deviceId, email, status] of [
    [boiler, 'lighting@north.test', 403],
    [boiler, 'limited@north.test', 404],
    [boiler, 'manager@south.test', 404],
    [light, manager, 404],
    [randomUUID(), manager, 404],
  ] as const) {
    assert.equal((await faultsOf(deviceId, {}, email)).status, status)
  }
})

test('a connected device has its type, status, clamps, place, serial and radio address; limited users get theirs [dev-3ent-19]', async () => {
  const boiler = await addDevice(app, tenant, { product: 'BX', accessRightsTagId: patch })
  const meter = await addDevice(app, tenant, { product: 'PM', parentId: boiler, accessRightsTagId: patch })
  const dot = await addDevice(app, tenant, { product: 'MD', parentId: meter })
  const powerClamps = { '1': 'Heat pump', '2': 'Immersion heater' }
  await inTenant(app.database.db, tenant, (tx) =>
    tx
      .updateTable('device')
      .set({ power_clamps: JSON.stringify(powerClamps), location: 'Hall', location_details: 'Meter cupboard' })
      .where('tenant_id', '=', tenant)
      .where('id', '=', meter)
      .execute(),
  )
  await reportState(meter, { eui64: '00124b001ca4729e' })
  const connectedTo = async (email: string) =>
    (await app.send(getBoiler, { body: { tenant, deviceId: boiler } }, email)).body.data!.connectedDevices
  const all = await connectedTo(manager)
  assert.deepEqual(all.map(({ deviceId }) => deviceId).toSorted(), [meter, dot].toSorted())
  assert.partialDeepStrictEqual(
    all.find(({ deviceId }) => deviceId === meter),
    {
      deviceType: 'Power meter',
      status: 'Ok',
      powerClamps,
      location: 'Hall',
      locationDetails: 'Meter cupboard',
      eui64: '00124b001ca4729e',
      parentId: boiler,
      statusReason: null,
    },
  )
  assert.match(all[0]!.serialNumber, /^(PM|MD)/)
  assert.equal(all.find(({ deviceId }) => deviceId === dot)!.eui64, null)
  assert.deepEqual(
    (await connectedTo('limited@north.test')).map(({ deviceId }) => deviceId),
    [meter],
  )
})

test('the page of a module is refreshed by changes of its connected devices', async () => {
  const boiler = await addDevice(app, tenant, { product: 'BX' })
  const autofill = await addDevice(app, tenant, { product: 'AF', parentId: boiler })
  const ask = async (body: object) =>
    (await app.send(shouldUpdateDevice, { body: { tenant, deviceId: boiler, date: 0, ...body } }, manager)).body.data!
  const { updatedAt, position } = await ask({})
  assert.equal((await ask({ date: updatedAt, position })).shouldUpdate, false)
  await reportState(autofill, filling(Date.now()))
  assert.equal((await ask({ date: updatedAt, position })).shouldUpdate, true)
  assert.equal((await app.send(getBoiler, { body: { tenant, deviceId: boiler } }, manager)).body.data!.fault, null)
})
