import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { getMapPoints } from '@caretaker/contract/devices.ts'
import type { TestApp } from '../../testing/app.ts'
import { testApp } from '../../testing/app.ts'
import { addAccessRightsTag, addDevice } from '../../testing/two-tenants.ts'

let app: TestApp
const ids: Record<string, string> = {}
const manager = 'manager@north.test'

before(async () => {
  app = await testApp()
  for (const id of ['north', 'south']) await app.addTenant(id)
  const east = await addAccessRightsTag(app, 'north', 'East')
  await app.addMember('north', manager, 'Manager')
  await app.addMember('north', 'limited@north.test', 'Manager', [east])
  await app.addMember('north', 'boilers@north.test', 'BoilerEngineer')
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
after(() => app.close())

const asked = (email: string, deviceId?: string) =>
  app.send(getMapPoints, { body: { tenant: 'north', ...(deviceId && { deviceId }) } }, email)
const names = async (email: string, deviceId?: string) => {
  const { data } = (await asked(email, deviceId)).body
  assert.equal(data!.total, data!.points.length)
  return data!.points.map(({ deviceName }) => deviceName)
}

test('the devices with coordinates are told, those nearest to the chosen one first, itself before all', async () => {
  assert.deepEqual(await names(manager, ids['here']), ['here', 'near', 'far'])
  assert.deepEqual(await names(manager, ids['far']), ['far', 'near', 'here'])
  assert.deepEqual((await names(manager)).toSorted(), ['far', 'here', 'near'])
  // One without a place chooses nothing.
  assert.deepEqual((await names(manager, ids['nowhere'])).toSorted(), ['far', 'here', 'near'])
})

test('a map point has what a device is, how it is and where [dev-2detail-39] [est-3-11] [est-3-12]', async () => {
  const { points } = (await asked(manager, ids['here'])).body.data!
  assert.deepEqual(points[0], {
    ...{ deviceId: ids['here'], deviceName: 'here', serialNumber: 'EM1000000X', deviceType: 'Emergency light' },
    ...{ productId: 'EM', deviceStatus: 'Ok', connectionStatus: 'neverconnected', building: null, floor: 'First' },
    ...{ lat: 53.8, lng: -1.5, long: -1.5 },
  })
})

test('each sees their own devices alone', async () => {
  assert.deepEqual(await names('limited@north.test'), ['far'])
  assert.deepEqual(await names('boilers@north.test'), ['far'])
  assert.equal((await asked('limited@north.test', ids['here'])).status, 404)
  assert.equal((await asked('manager@south.test')).status, 404)
})
