import assert from 'node:assert/strict'
import { afterAll, beforeAll, test } from 'vitest'
import { getBcmConnectedDevice, getDeviceBySerial, noAssociatedBcm } from '@caretaker/contract/links.ts'
import { getClientSettings } from '@caretaker/contract/session.ts'
import type { TestApp } from '../../testing/app.ts'
import { testApp } from '../../testing/app.ts'
import { addAccessRightsTag, addDevice } from '../../testing/furnish/devices.ts'

let app: TestApp
const tenant = 'north'
const manager = 'manager@north.test'
const guest = 'guest@north.test'
const lighting = 'lighting@north.test'
const boilers = 'boilers@north.test'
const limited = 'limited@north.test'
const stranger = 'manager@south.test'
let east: string
let gateway: string
let wholesale: string
let bcm: string
beforeAll(async () => {
  app = await testApp()
  await app.addTenant(tenant)
  await app.addTenant('south')
  east = await addAccessRightsTag(app, tenant, 'East')
  await app.addMember(tenant, manager, 'Manager')
  await app.addMember(tenant, guest, 'Guest')
  await app.addMember(tenant, lighting, 'LightingEngineer')
  await app.addMember(tenant, boilers, 'BoilerEngineer')
  await app.addMember(tenant, limited, 'Manager', [east])
  await app.addMember('south', stranger, 'Manager')
  gateway = await addDevice(app, tenant, { product: 'ZG', serial: 'ZG1000001X', name: 'Riser' })
  wholesale = await addDevice(app, tenant, {
    product: 'EM',
    serial: 'EM1000001X',
    name: 'Spare light',
    status: 'Inventory',
    inWholesale: true,
  })
  await addDevice(app, 'south', { product: 'EM', serial: 'EM1000002X' })
  bcm = await addDevice(app, tenant, { product: 'BX', serial: 'BX1000001X' })
})
afterAll(() => app.close())

const bySerial = (email: string, serialNumber: string, bcmOrGatewayId?: string) =>
  app.send(getDeviceBySerial, { body: { tenant, serialNumber, bcmOrGatewayId } }, email)
const bcmOf = (email: string, deviceId: string) =>
  app.send(getBcmConnectedDevice, { body: { tenant, deviceId } }, email)

test('a device is found by its serial number, as far as the user may see it', async () => {
  const { status, body } = await bySerial(manager, 'EM1000001X')
  assert.equal(status, 200)
  assert.deepEqual(body.data, {
    deviceId: wholesale,
    deviceName: 'Spare light',
    deviceType: 'Emergency light',
    productId: 'EM',
    serialNumber: 'EM1000001X',
    deviceStatus: 'Inventory',
    inWholesale: true,
    userHasReadOnlyAccess: false,
    bcmOrGateway: null,
  })
  assert.equal((await bySerial(guest, 'EM1000001X')).body.data!.userHasReadOnlyAccess, true)
  assert.equal((await bySerial(lighting, 'EM1000001X')).body.data!.userHasReadOnlyAccess, false)
})

test('hidden serial numbers and those of other clients are not found', async () => {
  for (const [email, serial] of [
    [manager, 'EM9999999X'],
    [manager, 'EM1000002X'],
    [limited, 'EM1000001X'],
    [boilers, 'EM1000001X'],
    [lighting, 'BX1000001X'],
  ] as const) {
    const { status, body } = await bySerial(email, serial)
    assert.equal(status, 404, `${email} ${serial}`)
    assert.equal(body.message, 'Not found.')
  }
  assert.equal((await bySerial(stranger, 'EM1000001X')).status, 404)
  for (const serial of ['', 'EM\u00001', 'x'.repeat(65)]) assert.equal((await bySerial(manager, serial)).status, 400)
})

test('it comes with the BCM or gateway that it will be connected to', async () => {
  const { body } = await bySerial(manager, 'EM1000001X', gateway)
  assert.deepEqual(body.data!.bcmOrGateway, {
    deviceId: gateway,
    deviceName: 'Riser',
    serialNumber: 'ZG1000001X',
    productId: 'ZG',
  })
  assert.equal((await bySerial(manager, 'EM1000001X', bcm)).body.data!.bcmOrGateway!.deviceId, bcm)
  // Not a BCM or gateway, a hidden one, and an unknown one.
  for (const [email, id] of [
    [manager, wholesale],
    [lighting, bcm],
    [manager, crypto.randomUUID()],
  ] as const)
    assert.equal((await bySerial(email, 'EM1000001X', id)).status, 404)
})

test('the BCM of a connected device is the first one above it [dev-7actions-24]', async () => {
  const hub = await addDevice(app, tenant, { product: 'ZH', parentId: bcm })
  const behindHub = await addDevice(app, tenant, { product: 'MD', parentId: hub })
  const direct = await addDevice(app, tenant, { product: 'AF', parentId: bcm })
  for (const device of [behindHub, direct, bcm])
    for (const email of [manager, boilers, guest]) {
      const { status, body } = await bcmOf(email, device)
      assert.deepEqual([status, body.data], [200, { bcmId: bcm }])
    }
})

test('a device without a visible BCM is not found', async () => {
  const lonely = await addDevice(app, tenant, { product: 'PM' })
  const behindGateway = await addDevice(app, tenant, { product: 'MD', parentId: gateway })
  for (const device of [lonely, behindGateway]) {
    const { status, body } = await bcmOf(manager, device)
    assert.equal(status, 200)
    assert.deepEqual([body.isSuccessful, body.data, body.message], [false, null, noAssociatedBcm])
  }
  const tagged = await addDevice(app, tenant, { product: 'MD', parentId: bcm, accessRightsTagId: east })
  assert.equal((await bcmOf(manager, tagged)).body.isSuccessful, true)
  const { body } = await bcmOf(limited, tagged)
  assert.deepEqual([body.isSuccessful, body.message], [false, noAssociatedBcm])
  assert.ok(!JSON.stringify(body).includes(bcm))
})

test('the BCM is found by users of the boilers area, for devices that they may see', async () => {
  const connected = await addDevice(app, tenant, { product: 'MD', parentId: bcm })
  assert.equal((await bcmOf(lighting, connected)).status, 403)
  assert.equal((await bcmOf(limited, connected)).status, 404)
  assert.equal((await bcmOf(stranger, connected)).status, 404)
  assert.equal((await bcmOf(manager, crypto.randomUUID())).status, 404)
})

test('the web settings contain the address of the mobile app, or null', async () => {
  assert.equal((await app.send(getClientSettings, {})).body.appUrl, 'https://app.caretaker.example')
  const { config } = app.context
  try {
    app.context.config = { ...config, appUrl: undefined }
    assert.equal((await app.send(getClientSettings, {})).body.appUrl, null)
  } finally {
    app.context.config = config
  }
})
