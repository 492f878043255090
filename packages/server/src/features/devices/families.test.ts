import assert from 'node:assert/strict'
import { afterAll, beforeAll, test } from 'vitest'
import { addTagToDevice } from '@caretaker/contract/actions.ts'
import type { Device } from '@caretaker/contract/devices.ts'
import { getBoiler } from '@caretaker/contract/boilers.ts'
import { getBcms, getTenantDashboardData } from '@caretaker/contract/dashboard.ts'
import { fetchViewData, getEmered, getNetworkingDevice, getThirdPartyDevice } from '@caretaker/contract/devices.ts'
import { getDeviceBySerial } from '@caretaker/contract/links.ts'
import { tenantCreateTag } from '@caretaker/contract/tags.ts'
import type { Family, Product } from '@caretaker/rules/devices/products.ts'
import { familyOf } from '@caretaker/rules/devices/products.ts'
import type { TestApp } from '../../testing/app.ts'
import { testApp } from '../../testing/app.ts'
import { addAccessRightsTag, addDevice } from '../../testing/furnish/devices.ts'

let app: TestApp
const developer = 'dev@north.test'
beforeAll(async () => {
  app = await testApp()
  await app.addTenant('north')
  await app.addMember('north', developer, 'Developer')
})
afterAll(() => app.close())

/** A tenant has a device of each product, and the server returns it as one of the family. */
function holds(family: Family, products: Product[], ids: string, more: Partial<Record<Family, Product[]>> = {}) {
  test(`a tenant has ${products.join(', ')} as ${family} ${ids}`, async () => {
    const all = Object.entries({ ...more, [family]: products }).flatMap(([of, codes]) =>
      codes.map((code) => [of, code] as const),
    )
    for (const [of, product] of all) {
      const serialNumber = `${product}1234567X`
      const deviceId = await addDevice(app, 'north', { product, serial: serialNumber })
      const { status, body } = await app.send(getDeviceBySerial, { body: { tenant: 'north', serialNumber } }, developer)
      assert.equal(status, 200, JSON.stringify(body))
      assert.equal(body.data!.deviceId, deviceId)
      assert.equal(body.data!.productId, product)
      assert.equal(familyOf(body.data!.productId), of)
    }
  })
}

holds('emered', ['EM', 'EL'], '[core-1-15]')
holds('boiler', ['BC', 'BX'], '')
holds('airSourceHeatPump', ['ASHP'], '[core-1-17]')
holds('heatInterfaceUnit', ['HIU'], '[core-1-18]')
holds('autofill', ['AF', 'AZ'], '[core-1-19]')
holds('multiDot', ['MD'], 'and as enviro-dots beside them [core-1-20]', { enviroDot: ['ED'] })
holds('powerMeter', ['PM'], 'and as power switches beside them [core-1-21]', { powerSwitch: ['PS'] })
holds('gateway', ['MG', 'ZG', 'ZR'], '[core-1-22]')
holds('homeHub', ['ZH'], '[core-1-23]')
holds('vStat', ['TH'], '[core-1-24]')
holds('liftMonitor', ['LM'], '[core-1-25]')
holds('peopleCounter', ['PC'], '[core-1-26]')
holds('thirdParty', ['ADEY'], '[core-1-27]')

test('boilers and boiler control modules are one family wherever the server returns devices [core-1-16]', async () => {
  const tenant = 'heated'
  await app.addTenant(tenant)
  await app.addMember(tenant, developer, 'Developer')
  const devices = {
    BC: await addDevice(app, tenant, { product: 'BC' }),
    BX: await addDevice(app, tenant, { product: 'BX' }),
  }
  const ids = Object.values(devices).sort()
  // The counter-examples: devices of other families, in the same area and in another.
  const others = [await addDevice(app, tenant, { product: 'MD' }), await addDevice(app, tenant, { product: 'EM' })]
  const summaries = (await app.send(getTenantDashboardData, { body: { tenant } }, developer)).body.data!
  assert.equal(summaries.boiler.total, ids.length)
  const listed = async (query: object) =>
    (await app.send(fetchViewData, { body: { tenant, ...query } as never }, developer)).body
      .data!.rows.map(({ deviceId }) => deviceId)
      .sort()
  assert.deepEqual(
    (await listed({ listing: 'Boilers' })).filter((id) => !others.includes(id)),
    ids,
  )
  assert.ok((await listed({ listing: 'EmergencyLights' })).every((id) => !ids.includes(id)))
  const bcms = (await app.send(getBcms, { params: { tenant }, query: {} }, developer)).body.results
  assert.deepEqual(bcms.map(({ deviceId }) => deviceId).sort(), ids)
  for (const [product, deviceId] of Object.entries(devices)) {
    const { status, body } = await app.send(getBoiler, { body: { tenant, deviceId } }, developer)
    assert.deepEqual([status, body.data?.productId, body.data?.heatingUnit], [200, product, 'boiler'])
  }
  assert.equal((await app.send(getBoiler, { body: { tenant, deviceId: others[1]! } }, developer)).status, 404)
})

test('a full device has the common fields [core-3-12]', async () => {
  const calls = { EM: getEmered, BX: getBoiler, MG: getNetworkingDevice } as const
  for (const [product, route] of Object.entries(calls)) {
    const deviceId = await addDevice(app, 'north', { product: product as Product, inWholesale: true })
    const { body } = await app.send(route, { body: { tenant: 'north', deviceId } }, developer)
    for (const field of [
      'deviceId',
      'deviceType',
      'deviceStatus',
      'serialNumber',
      'inWholesale',
      'building',
      'tagIds',
      'location',
      'locationDetails',
      'powerClamps',
      'connectionStatus',
    ])
      assert.ok(field in body.data!, field)
    assert.equal(body.data!.inWholesale, true)
  }
})

test('the answer for a full device has every field of its page, and tags by id', async () => {
  const tag = (await app.send(tenantCreateTag, { body: { tenant: 'north', name: 'Damp' } }, developer)).body.data!
  const accessRightsTag = { id: await addAccessRightsTag(app, 'north', 'East Patch'), displayName: 'East Patch' }
  const kinds = [
    ['EM', getEmered, 'Emergency light'],
    ['BX', getBoiler, 'Boiler control module'],
    ['MG', getNetworkingDevice, 'MQTT gateway'],
    ['ADEY', getThirdPartyDevice, 'Third-party device'],
  ] as const
  for (const [product, route, deviceType] of kinds) {
    const serial = `${product}1999999X`
    const deviceId = await addDevice(app, 'north', {
      product,
      serial,
      name: 'Hall',
      status: 'Ok',
      accessRightsTagId: accessRightsTag.id,
    })
    await app.database.owner.query(
      `update device set latitude = 53.5, longitude = -1.5, room = 'Kitchen', address = '1 High Street',
         postcode = 'LS1 1AA', location = 'Loft', location_details = 'Behind the door', power_clamps = '{"A": "cooker"}'
       where id = $1`,
      [deviceId],
    )
    await app.send(addTagToDevice, { body: { tenant: 'north', deviceId, tagId: tag.id } }, developer)
    const { body } = await app.send(route, { body: { tenant: 'north', deviceId } }, developer)
    const expected = {
      deviceId,
      deviceName: 'Hall',
      deviceType,
      serialNumber: serial,
      deviceStatus: 'Ok',
      connectionStatus: 'neverconnected',
      lat: 53.5,
      long: -1.5,
      floorName: null,
      buildingId: null,
      buildingName: null,
      floor: null,
      room: 'Kitchen',
      group: null,
      tags: [tag.id],
      accessRightsTag,
      propertyId: null,
      address: '1 High Street, LS1 1AA',
      location: 'Loft',
      locationDetails: 'Behind the door',
      powerClamps: { A: 'cooker' },
      userHasReadOnlyAccess: false,
      userCanUpdateAccessRightsTag: true,
      tenant: 'north',
    }
    const shown = Object.fromEntries(Object.keys(expected).map((name) => [name, body.data![name as keyof Device]]))
    assert.deepEqual(shown, expected)
  }
})
