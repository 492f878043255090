import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, test } from 'vitest'
import {
  getDevicesWithoutFloor,
  getFloorDevices,
  getMapPoints,
  updateDeviceGeoLocation,
} from '@caretaker/contract/devices.ts'
import type { TestApp } from '../../testing/app.ts'
import { testApp } from '../../testing/app.ts'
import { addAccessRightsTag, addDevice } from '../../testing/furnish/devices.ts'

let app: TestApp
const ids: Record<string, string> = {}
const manager = 'manager@north.test'

beforeAll(async () => {
  app = await testApp()
  for (const id of ['north', 'south']) await app.addTenant(id)
  const east = await addAccessRightsTag(app, 'north', 'East')
  await app.addMember('north', manager, 'Manager')
  await app.addMember('north', 'limited@north.test', 'Manager', [east])
  await app.addMember('north', 'boilers@north.test', 'BoilerEngineer')
  await app.addMember('north', 'guest@north.test', 'Guest')
  await app.addMember('south', 'manager@south.test', 'Manager')
  for (const [name, product, place] of [
    ['here', 'EM', [53.8, -1.5]],
    ['far', 'MG', [54.8, -1.5]],
    ['near', 'EL', [53.8001, -1.5]],
    // Third-party devices are a restricted type.
    ['theirs', 'ADEY', [53.8, -1.5]],
    ['nowhere', 'EM', [null, null]],
  ] as const) {
    const serial = `${product}1${String(Object.keys(ids).length).padStart(6, '0')}X`
    ids[name] = await addDevice(app, 'north', {
      product,
      name,
      serial,
      ...(name === 'far' && { accessRightsTagId: east }),
    })
    await app.database.owner.query('update device set latitude = $2, longitude = $3, floor_name = $4 where id = $1', [
      ids[name],
      ...place,
      'First',
    ])
  }
})
afterAll(() => app.close())

const asked = (email: string, deviceId?: string) =>
  app.send(getMapPoints, { body: { tenant: 'north', ...(deviceId && { deviceId }) } }, email)
const names = async (email: string, deviceId?: string) => {
  const { data } = (await asked(email, deviceId)).body
  assert.equal(data!.total, data!.points.length)
  return data!.points.map(({ deviceName }) => deviceName)
}

test('devices with coordinates are returned, the chosen one first and then by distance', async () => {
  assert.deepEqual(await names(manager, ids['here']), ['here', 'near', 'far'])
  assert.deepEqual(await names(manager, ids['far']), ['far', 'near', 'here'])
  assert.deepEqual((await names(manager)).toSorted(), ['far', 'here', 'near'])
  // A device without a place cannot be the centre.
  assert.deepEqual((await names(manager, ids['nowhere'])).toSorted(), ['far', 'here', 'near'])
})

test('a map point shows what a device is, its state and its place [dev-2detail-39] [est-3-11] [est-3-12]', async () => {
  const { points } = (await asked(manager, ids['here'])).body.data!
  assert.deepEqual(points[0], {
    ...{ deviceId: ids['here'], deviceName: 'here', serialNumber: 'EM1000000X', deviceType: 'Emergency light' },
    ...{ productId: 'EM', deviceStatus: 'Ok', deviceStatusReason: null, deviceRunningTest: null },
    ...{ connectionStatus: 'neverconnected', building: null, floor: 'First', buildingId: null, floorId: null },
    ...{ lat: 53.8, lng: -1.5, long: -1.5, isRoughlyPlaced: false },
  })
})

test('users see only their own devices', async () => {
  assert.deepEqual(await names('limited@north.test'), ['far'])
  assert.deepEqual(await names('boilers@north.test'), ['far'])
  assert.equal((await asked('limited@north.test', ids['here'])).status, 404)
  assert.equal((await asked('manager@south.test')).status, 404)
})

test("the devices of a floor are returned with and without a position, within the user's rights, and who may place them", async () => {
  const { building, floor } = await furnished()
  const pointsFor = async (email: string, at = { building, floor }, tenant = 'north') =>
    (await app.send(getFloorDevices, { body: { tenant, ...at } }, email)).body.data
  const all = (await pointsFor(manager))!
  assert.deepEqual(
    all.map(({ deviceName, lat, long, mayPlace }) => [deviceName, lat, long, mayPlace]),
    [
      ['far', 54.8, -1.5, true],
      ['here', 53.8, -1.5, true],
      ['near', 53.8001, -1.5, true],
      ['nowhere', null, null, true],
    ],
  )
  const namesFor = async (email: string) => (await pointsFor(email))!.map(({ deviceName }) => deviceName)
  assert.deepEqual(await namesFor('limited@north.test'), ['far'])
  // Heating engineers do not see lights; gateways are visible to everyone.
  assert.deepEqual(await namesFor('boilers@north.test'), ['far'])
  assert.deepEqual(new Set((await pointsFor('guest@north.test'))!.map(({ mayPlace }) => mayPlace)), new Set([false]))
  const status = async (email: string, at: { building: string; floor: string }, tenant = 'north') =>
    (await app.send(getFloorDevices, { body: { tenant, ...at } }, email)).status
  assert.equal(await status(manager, { building: randomUUID(), floor }), 404)
  assert.equal(await status('manager@south.test', { building, floor }, 'south'), 404)
})

test('devices on no floor are offered to users who may place them, unless they are in a property or another building', async () => {
  const { building: another } = await furnished()
  const { building, floor } = await furnished()
  const { owner } = app.database
  const pointsFor = async (email: string, more: object = {}, tenant = 'north') => {
    const { status, body } = await app.send(getDevicesWithoutFloor, { body: { tenant, building, ...more } }, email)
    return status === 200 ? body.data!.devices.map(({ deviceName }) => deviceName) : status
  }
  assert.deepEqual(await pointsFor(manager), [])
  await owner.query('update device set floor_id = null where id = any($1::uuid[])', [[ids['here'], ids['nowhere']]])
  await owner.query('update device set floor_id = null, building_id = null where id = any($1::uuid[])', [
    [ids['near'], ids['theirs']],
  ])
  // Devices in the building come first.
  assert.deepEqual(await pointsFor(manager), ['here', 'nowhere', 'near'])
  assert.deepEqual(await pointsFor(manager, { find: 'HERE' }), ['here', 'nowhere'])
  // A removed device cannot be placed again this way; one in stock can.
  const become = (status: string) => owner.query('update device set status = $1 where id = $2', [status, ids['near']])
  for (const status of ['REMOVED', 'DISPOSED', 'AwaitingRecycling']) {
    await become(status)
    assert.deepEqual(await pointsFor(manager), ['here', 'nowhere'], status)
  }
  for (const status of ['Inventory', 'Ok']) {
    await become(status)
    assert.deepEqual(await pointsFor(manager), ['here', 'nowhere', 'near'], status)
  }
  // Installed devices come before those in stock.
  await owner.query('update device set building_id = null where id = any($1::uuid[])', [[ids['here'], ids['nowhere']]])
  assert.deepEqual(await pointsFor(manager), ['here', 'near', 'nowhere'])
  await owner.query(`update device set status = 'Inventory' where id = $1`, [ids['here']])
  assert.deepEqual(await pointsFor(manager), ['near', 'nowhere', 'here'])
  await owner.query(`update device set status = 'Ok', building_id = $2 where id = $1`, [ids['here'], building])
  await owner.query(`update device set building_id = $2 where id = $1`, [ids['nowhere'], building])
  const first = await app.send(getDevicesWithoutFloor, { body: { tenant: 'north', building, most: 2 } }, manager)
  assert.deepEqual(
    [first.body.data!.devices.map(({ buildingId }) => buildingId), first.body.data!.hasMore],
    [[building, building], true],
  )
  assert.equal(
    (await app.send(getDevicesWithoutFloor, { body: { tenant: 'north', building, most: 3 } }, manager)).body.data!
      .hasMore,
    false,
  )
  assert.equal(await pointsFor(manager, { most: 1001 }), 400)
  assert.deepEqual(await pointsFor(manager, { building: another }), ['near'])
  assert.equal(await pointsFor(manager, { building: randomUUID() }), 404)
  assert.deepEqual(await pointsFor('guest@north.test'), [])
  assert.equal(await pointsFor('limited@north.test'), 403)
  assert.equal(await pointsFor('manager@south.test'), 404)
  assert.equal(await pointsFor('manager@south.test', {}, 'south'), 404)
  await owner.query('update device set building_id = $1, floor_id = $2 where id = any($3::uuid[])', [
    ...[building, floor],
    Object.values(ids),
  ])
})

test('of two users who place one device the second is refused; so is one who places a removed device', async () => {
  const { floor } = await furnished()
  const place = (latitude: number, seen: { floor: string | null; latitude: number | null; longitude: number | null }) =>
    app.send(
      updateDeviceGeoLocation,
      { body: { tenant: 'north', deviceId: ids['nowhere']!, latitude, longitude: -1.5, seen } },
      manager,
    )
  const nowhere = { floor, latitude: null, longitude: null }
  assert.equal((await place(53.9, nowhere)).status, 200)
  const second = await place(53.7, nowhere)
  assert.equal(second.status, 409)
  assert.match(JSON.stringify(second.body), /Someone else has moved this device in the meantime\./)
  await app.database.owner.query('update device set floor_id = null where id = $1', [ids['nowhere']])
  assert.equal((await place(53.7, { floor, latitude: 53.9, longitude: -1.5 })).status, 409)
  const { rows } = await app.database.owner.query('select latitude from device where id = $1', [ids['nowhere']])
  assert.deepEqual(rows, [{ latitude: 53.9 }])
  await app.database.owner.query('update device set latitude = null, longitude = null where id = $1', [ids['nowhere']])
})

/** All devices are on one floor. */
async function furnished() {
  const [building, floor] = [randomUUID(), randomUUID()]
  const { owner } = app.database
  await owner.query("insert into building (tenant_id, id, name) values ('north', $1, $2)", [
    building,
    `Alder ${building}`,
  ])
  await owner.query(
    "insert into floor (tenant_id, id, building_id, number, name) values ('north', $1, $2, 0, 'First')",
    [floor, building],
  )
  await owner.query("update device set building_id = $1, floor_id = $2 where tenant_id = 'north'", [building, floor])
  return { building, floor }
}
