import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, test } from 'vitest'
import { getAudit } from '@caretaker/contract/audit.ts'
import { getBuilding } from '@caretaker/contract/buildings.ts'
import {
  getEmered,
  getFloorDevices,
  shouldUpdateDevice,
  updateDeviceBuildingLocation,
  updateDeviceGeoLocation,
} from '@caretaker/contract/devices.ts'
import { getMapDevicesExtent } from '@caretaker/contract/maps.ts'
import { inTenant } from '../../postgres/tenant.ts'
import type { TestApp } from '../../testing/app.ts'
import { testApp } from '../../testing/app.ts'
import { chanceOf } from '../../testing/chance.ts'
import { addAccessRightsTag, addDevice } from '../../testing/furnish/devices.ts'

let app: TestApp
let light: string
const [manager, admin, engineer] = ['manager@north.test', 'admin@north.test', 'engineer@north.test']
const [other, guest, limited] = ['boilers@north.test', 'guest@north.test', 'limited@north.test']
const [alder, birch, abroad] = [randomUUID(), randomUUID(), randomUUID()]
const [ground, first, ofBirch] = [randomUUID(), randomUUID(), randomUUID()]
const longProperty = randomUUID()

beforeAll(async () => {
  app = await testApp()
  for (const tenant of ['north', 'south']) await app.addTenant(tenant)
  await app.addMember('north', manager, 'Manager')
  await app.addMember('north', admin, 'Admin')
  await app.addMember('north', engineer, 'LightingEngineer')
  await app.addMember('north', other, 'BoilerEngineer')
  await app.addMember('north', guest, 'Guest')
  await app.addMember('north', limited, 'Manager', [await addAccessRightsTag(app, 'north', 'East')])
  await app.addMember('south', 'manager@south.test', 'Manager')
  const building = (tenant: string, id: string, name: string) =>
    inTenant(app.database.db, tenant, (tx) =>
      tx.insertInto('building').values({ tenant_id: tenant, id, name, latitude: null, longitude: null }).execute(),
    )
  await building('north', alder, 'Alder House')
  await building('north', birch, 'Birch House')
  await building('south', abroad, 'Abroad')
  await inTenant(app.database.db, 'north', async (tx) => {
    for (const [id, building_id, number, name] of [
      [ground, alder, 0, 'Ground'],
      [first, alder, 1, 'First'],
      [ofBirch, birch, 0, 'Hall'],
    ] as const)
      await tx.insertInto('floor').values({ tenant_id: 'north', id, building_id, number, name }).execute()
    await tx
      .insertInto('property')
      .values({
        ...{ tenant_id: 'north', id: longProperty, reference: 'N-1', postcode: 'LS6 1AA', address1: '2 Mill Lane' },
        ...{ latitude: null, longitude: null, access_rights_tag_id: null },
      })
      .execute()
  })
  light = await addDevice(app, 'north')
})
afterAll(() => app.close())

const body = { tenant: 'north' }
const place = (sent: object, email = engineer) =>
  app.send(updateDeviceBuildingLocation, { body: { ...body, deviceId: light, ...sent } }, email)
const locate = (latitude: number | null, longitude: number | null, email = engineer) =>
  app.send(updateDeviceGeoLocation, { body: { ...body, deviceId: light, latitude, longitude } }, email)
const page = async () => (await app.send(getEmered, { body: { ...body, deviceId: light } }, manager)).body.data!
const entries = async () =>
  (await app.send(getAudit, { params: body, query: { action: 'device moved' } }, admin)).body.results as unknown as {
    userName: string
    before: Record<string, unknown>
    after: Record<string, unknown>
  }[]

test('a room is changed by the documented call, announced to open pages, and recorded once [dev-7actions-16]', async () => {
  const asked = () => app.send(shouldUpdateDevice, { body: { ...body, deviceId: light, ...seen } }, manager)
  let seen: { date: number; position?: string } = { date: 0 }
  seen = { date: 0, position: (await asked()).body.data!.position }
  assert.equal((await asked()).body.data!.shouldUpdate, false)
  const { body: answer } = await place({ room: ' Plant   room ' })
  assert.deepEqual([answer.isSuccessful, answer.data!.deviceId], [true, light])
  assert.equal((await page()).room, 'Plant room')
  assert.equal((await asked()).body.data!.shouldUpdate, true)
  await place({ room: 'Plant room' })
  const [entry, ...more] = await entries()
  assert.deepEqual(
    [entry!.userName, entry!.before, entry!.after, more],
    ['engineer', { room: null }, { room: 'Plant room' }, []],
  )
})

test('building, floor, property and location follow, with their copies in listings; only sent fields change', async () => {
  await place({ buildingId: alder, floorId: first, location: 'Stair', locationDetails: 'Above the door' })
  let now = await page()
  assert.deepEqual([now.buildingName, now.floor, now.floorName, now.room], ['Alder House', 1, 'First', 'Plant room'])
  assert.deepEqual([now.location, now.locationDetails], ['Stair', 'Above the door'])
  await place({ floorId: ground, room: null })
  now = await page()
  assert.deepEqual([now.buildingName, now.floorName, now.room, now.location], ['Alder House', 'Ground', null, 'Stair'])
  await place({ buildingId: birch })
  now = await page()
  assert.deepEqual([now.buildingName, now.floor, now.floorName], ['Birch House', null, null])
  await place({ buildingId: null, propertyId: longProperty })
  now = await page()
  assert.deepEqual([now.buildingName, now.propertyId, now.address], [null, longProperty, '2 Mill Lane, LS6 1AA'])
  assert.deepEqual((await entries())[0]!.after, { building: null, property: 'N-1' })
})

test('a device is placed on the map and removed again [dev-7actions-31]', async () => {
  assert.equal((await locate(53.8, -1.5)).body.isSuccessful, true)
  assert.deepEqual([(await page()).lat, (await page()).long], [53.8, -1.5])
  assert.equal((await locate(null, null)).body.isSuccessful, true)
  assert.deepEqual([(await page()).lat, (await page()).long], [null, null])
  for (const [latitude, longitude] of [
    [91, 0],
    [0, 181],
    [53.8, null],
  ] as const)
    assert.equal((await locate(latitude, longitude)).status, 400)
})

test('a place that is missing, or of another building or client, is refused by its field', async () => {
  const before = await page()
  for (const [sent, field] of [
    [{ buildingId: abroad }, 'buildingId'],
    [{ buildingId: randomUUID() }, 'buildingId'],
    [{ propertyId: randomUUID() }, 'propertyId'],
    [{ buildingId: alder, floorId: ofBirch }, 'floorId'],
    [{ floorId: ground }, 'floorId'],
  ] as const) {
    const { status, body: answer } = await place(sent)
    assert.equal(status, 400)
    assert.match(JSON.stringify(answer), new RegExp(field))
  }
  assert.deepEqual(await page(), before)
})

test('users without the right to edit or see the device, and other clients, move nothing', async () => {
  const before = await page()
  for (const [email, status] of [
    [guest, 403],
    [other, 404],
    [limited, 404],
    ['manager@south.test', 404],
  ] as const)
    assert.deepEqual(
      [(await place({ room: 'Mine' }, email)).status, (await locate(1, 1, email)).status],
      [status, status],
    )
  assert.deepEqual(await page(), before)
})

test('an automatic position is rough until a user confirms it or drags the device; the counts add up', async () => {
  const [rough, bare, failed] = [
    await addDevice(app, 'north', { name: 'Rough' }),
    await addDevice(app, 'north', { name: 'Bare' }),
    await addDevice(app, 'north', { name: 'Failed', status: 'FailedEquipment' }),
  ]
  for (const deviceId of [rough, bare, failed])
    await app.send(
      updateDeviceBuildingLocation,
      { body: { ...body, deviceId, buildingId: birch, floorId: ofBirch } },
      engineer,
    )
  const put = (latitude: number | null, more: object = {}, email = engineer) =>
    app.send(
      updateDeviceGeoLocation,
      { body: { ...body, deviceId: rough, latitude, longitude: latitude === null ? null : -1.5, ...more } },
      email,
    )
  const isRough = async () => {
    const { data } = (await app.send(getFloorDevices, { body: { ...body, building: birch, floor: ofBirch } }, manager))
      .body
    return data!.find(({ deviceId }) => deviceId === rough)!.isRoughlyPlaced
  }
  assert.equal((await put(53.8, { isRough: true }, guest)).status, 403)
  assert.equal((await put(53.8, { isRough: true })).status, 200)
  assert.equal(await isRough(), true)
  // Confirmed where it is.
  await put(53.8)
  assert.equal(await isRough(), false)
  assert.deepEqual((await entries())[0]!.after, { isRoughlyPlaced: false })
  await put(53.8, { isRough: true })
  // Dragged.
  await put(53.81)
  assert.equal(await isRough(), false)
  const counts = (await app.send(getBuilding, { body: { ...body, building: birch } }, manager)).body.data!.counts
  const count = counts.find((one) => one.floor === ofBirch)!
  assert.deepEqual([count.devices, count.notPlaced, count.notPlacedFailed], [3, 2, 1])
  const extent = await app.send(getMapDevicesExtent, { body: { ...body, building: birch, floor: ofBirch } }, manager)
  assert.equal(extent.body.data!.total + count.notPlaced, count.devices)
  await put(53.8, { isRough: true })
  await put(null)
  assert.equal(await isRough(), false)
})

test('texts of multi-byte characters fit beside the copies of a place, or are refused with the reason', async () => {
  const chance = chanceOf('texts of devices')
  const letters = (length: number) =>
    Array.from({ length }, () => String.fromCodePoint(0x20000 + Math.floor(chance() * 0xa000))).join('')
  const [longBuilding, longFloor, longProperty] = [randomUUID(), randomUUID(), randomUUID()]
  await inTenant(app.database.db, 'north', async (tx) => {
    await tx
      .insertInto('building')
      .values({
        ...{
          tenant_id: 'north',
          id: longBuilding,
          name: letters(80),
          compared_name: letters(80),
          address: letters(200),
        },
        ...{ latitude: null, longitude: null },
      })
      .execute()
    await tx
      .insertInto('floor')
      .values({ tenant_id: 'north', id: longFloor, building_id: longBuilding, number: 0, name: letters(40) })
      .execute()
    await tx
      .insertInto('property')
      .values({
        ...{
          tenant_id: 'north',
          id: longProperty,
          reference: letters(30),
          postcode: 'LS6 1AA',
          address1: letters(100),
        },
        ...{
          address2: letters(100),
          address3: letters(60),
          latitude: null,
          longitude: null,
          access_rights_tag_id: null,
        },
      })
      .execute()
  })
  const device = await addDevice(app, 'north')
  const place = (body: object) =>
    app.send(updateDeviceBuildingLocation, { body: { tenant: 'north', deviceId: device, ...body } }, manager)
  assert.equal((await place({ buildingId: longBuilding, floorId: longFloor, propertyId: longProperty })).status, 200)
  assert.equal((await place({ room: letters(100) })).status, 200)
  assert.equal((await place({ location: letters(30) })).status, 200)
  const refused = await place({ locationDetails: letters(200) })
  assert.equal(refused.status, 400)
  assert.match(JSON.stringify(refused.body), /too long together/)
  // Latin letters are kept whole.
  const other = await addDevice(app, 'north')
  const latin = { room: 'r'.repeat(100), location: 'l'.repeat(100), locationDetails: 'd'.repeat(200) }
  const body = {
    tenant: 'north',
    deviceId: other,
    buildingId: alder,
    floorId: ground,
    propertyId: longProperty,
    ...latin,
  }
  assert.equal((await app.send(updateDeviceBuildingLocation, { body }, manager)).status, 200)
})
