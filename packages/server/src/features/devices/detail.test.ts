import assert from 'node:assert/strict'
import { afterAll, beforeAll, test } from 'vitest'
import { getBoiler } from '@caretaker/contract/boilers.ts'
import { getEmered, getNetworkingDevice } from '@caretaker/contract/devices.ts'
import type { TestApp } from '../../testing/app.ts'
import { testApp } from '../../testing/app.ts'
import { addDevice } from '../../testing/furnish/devices.ts'

const tenant = 'north'
const manager = 'manager@north.test'
let app: TestApp
beforeAll(async () => {
  app = await testApp()
  for (const id of [tenant, 'south']) await app.addTenant(id)
  await app.addMember(tenant, manager, 'Manager')
  await app.addMember('south', 'manager@south.test', 'Manager')
})
afterAll(() => app.close())

const identity = ['deviceId', 'deviceName', 'deviceType', 'serialNumber', 'deviceStatus', 'connectionStatus', 'tenant']
const place = ['lat', 'long', 'floorName', 'buildingId', 'buildingName', 'floor', 'room', 'group', 'propertyId'].concat(
  ['address', 'location', 'locationDetails'],
)
const rest = ['tags', 'accessRightsTag', 'powerClamps', 'userHasReadOnlyAccess', 'userCanUpdateAccessRightsTag']

test('the answer for one device has everything known of it, within its own tenant only [dev-3ent-1]', async () => {
  for (const [product, route] of [
    ['EM', getEmered],
    ['BX', getBoiler],
    ['MG', getNetworkingDevice],
  ] as const) {
    const deviceId = await addDevice(app, tenant, { product })
    const { body } = await app.send(route, { body: { tenant, deviceId } }, manager)
    const shown = body.data as unknown as Record<string, unknown>
    for (const field of [...identity, ...place, ...rest]) assert.ok(field in shown, `${product}: ${field}`)
    assert.deepEqual(
      [shown['deviceId'], shown['tenant'], shown['deviceStatus'], shown['tags'], shown['userHasReadOnlyAccess']],
      [deviceId, tenant, 'Ok', [], false],
    )
    const elsewhere = await app.send(route, { body: { tenant: 'south', deviceId } }, 'manager@south.test')
    assert.equal(elsewhere.status, 404)
  }
})
