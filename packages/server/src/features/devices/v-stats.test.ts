import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, test } from 'vitest'
import { getVstats } from '@caretaker/contract/dashboard.ts'
import { exportListing, fetchViewData } from '@caretaker/contract/devices.ts'
import type { FieldId } from '@caretaker/rules/devices/list.ts'
import { deviceStatuses, displayGroup } from '@caretaker/rules/devices/status.ts'
import { inTenant } from '../../postgres/tenant.ts'
import type { TestApp } from '../../testing/app.ts'
import { testApp } from '../../testing/app.ts'
import { addAccessRightsTag, addDevice } from '../../testing/furnish/devices.ts'

const [manager, limited, stranger] = ['manager@north.test', 'limited@north.test', 'manager@south.test']
const home = randomUUID()
let app: TestApp
let placed: string
beforeAll(async () => {
  app = await testApp()
  await app.addTenant('north')
  await app.addTenant('south')
  const patch = await addAccessRightsTag(app, 'north', 'East Patch')
  await app.addMember('north', manager, 'Manager')
  await app.addMember('north', limited, 'Manager', [patch])
  await app.addMember('south', stranger, 'Manager')
  for (const status of deviceStatuses) await addDevice(app, 'north', { product: 'TH', status })
  await addDevice(app, 'north', { product: 'MD' })
  await addDevice(app, 'south', { product: 'TH' })
  placed = await addDevice(app, 'north', { product: 'TH', serial: 'TH1900001A', accessRightsTagId: patch })
  await inTenant(app.database.db, 'north', async (tx) => {
    await tx
      .insertInto('property')
      .values({
        tenant_id: 'north',
        id: home,
        reference: 'NG-1',
        address1: '1 Hill',
        postcode: 'LS6 1AB',
        town: 'Leeds',
      })
      .execute()
    await tx
      .updateTable('device')
      .set({
        ...{ property_id: home, property_reference: 'NG-1', address: '1 Hill, Leeds', postcode: 'LS6 1AB' },
        ...{ location: 'Hall', location_details: 'By the door', reported: { firmware: '2.1.0' } },
      })
      .where('tenant_id', '=', 'north')
      .where('id', '=', placed)
      .execute()
  })
})
afterAll(() => app.close())

const page = async (person = manager, more: object = {}, tenant = 'north') =>
  app.send(fetchViewData, { body: { tenant, listing: 'VStats', ...more } }, person)
const file = async () =>
  app.send(exportListing, { body: { tenant: 'north', listing: 'VStats', columns, format: 'csv' } }, manager)
const columns: FieldId[] = [
  'propertyReference',
  'status',
  'serial',
  'product',
  'postcode',
  'address',
  'location',
  'productId',
]

test('V-Stats come worst first, 25 a page, with all that their columns show [est-1-19] [est-2.4-5] [est-3-37] [est-7.2-13]', async () => {
  const { rows, total, pageSize } = (await page()).body.data!
  assert.equal(total, deviceStatuses.length + 1)
  assert.equal(pageSize, 25)
  // A group that came twice would be twice in this list.
  const groups = rows.map(({ deviceStatus }) => displayGroup(deviceStatus))
  assert.deepEqual(
    groups.filter((group, at) => group !== groups[at - 1]),
    ['Failed', 'Warning', 'FailedDevice', 'Passed', 'NotInstalled'],
  )
  const { body } = await app.send(getVstats, { params: { tenant: 'north' }, query: {} }, manager)
  assert.equal(body.total, total)
  assert.deepEqual(
    body.results.find(({ deviceId }) => deviceId === placed),
    {
      deviceId: placed,
      name: 'Device TH1900001A',
      serialNumber: 'TH1900001A',
      deviceStatus: 'Ok',
      connectionStatus: 'neverconnected',
      propertyId: home,
      propertyLocationId: 'Hall',
      accessRightsTagId: body.results.find(({ deviceId }) => deviceId === placed)!.accessRightsTagId,
      productId: 'TH',
      product: 'V-Stat',
      propertyReference: 'NG-1',
      postcode: 'LS6 1AB',
      address: '1 Hill, Leeds',
      location: 'Hall',
      locationDetails: 'By the door',
      tags: [],
      firmwareVersion: '2.1.0',
      accessRightTag: 'East Patch',
    },
  )
})

test('a file of V-Stats has their own words in its header', async () => {
  const exported: unknown = (await file()).body
  assert.ok(typeof exported === 'string')
  assert.match(
    exported,
    /^\uFEFF?"Property REF","Device Status","Serial Number","Product","Postcode","Address","Location","Product Id"/,
  )
  assert.match(exported, /"NG-1","[^"]+","TH1900001A","V-Stat","LS6 1AB","1 Hill, Leeds","Hall","TH"/)
})

test('a limited user sees those of their own patch; another client none', async () => {
  assert.deepEqual(
    (await page(limited)).body.data!.rows.map(({ deviceId }) => deviceId),
    [placed],
  )
  assert.equal((await page(stranger)).status, 404)
  assert.equal((await app.send(getVstats, { params: { tenant: 'north' }, query: {} }, stranger)).status, 404)
  const seen = await app.send(getVstats, { params: { tenant: 'north' }, query: {} }, limited)
  assert.deepEqual(
    seen.body.results.map(({ deviceId }) => deviceId),
    [placed],
  )
  assert.equal((await page(stranger, {}, 'south')).body.data!.total, 1)
})

test('postcode and address of V-Stats cannot be columns where personal data is hidden, and are in no answer [est-2.4-9]', async () => {
  await app.database.owner.query(
    `insert into tenant_feature (tenant_id, feature) values ('north', 'HideCustomerPersonalData')`,
  )
  const { body } = await file()
  assert.match(JSON.stringify(body), /columns\.4.*columns\.5/s)
  const row = (await page()).body.data!.rows.find(({ deviceId }) => deviceId === placed)!
  assert.deepEqual([row.devicePostcode, row.deviceBuildingAddress], [null, null])
  const hidden = await app.send(getVstats, { params: { tenant: 'north' }, query: {} }, manager)
  assert.doesNotMatch(JSON.stringify(hidden.body), /LS6|Hill/)
  assert.doesNotMatch(JSON.stringify((await page()).body), /LS6|Hill/)
})
