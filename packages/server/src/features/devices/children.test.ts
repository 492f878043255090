import assert from 'node:assert/strict'
import { afterAll, beforeAll, test } from 'vitest'
import { getNetworkingDevice } from '@caretaker/contract/devices.ts'
import type { TestApp } from '../../testing/app.ts'
import { testApp } from '../../testing/app.ts'
import { addAccessRightsTag, addDevice } from '../../testing/furnish/devices.ts'

let app: TestApp
let gateway: string
let east: string
const manager = 'manager@north.test'

beforeAll(async () => {
  app = await testApp()
  for (const id of ['north', 'south']) await app.addTenant(id)
  east = await addAccessRightsTag(app, 'north', 'East')
  await app.addMember('north', manager, 'Manager')
  await app.addMember('north', 'limited@north.test', 'Manager', [east])
  await app.addMember('north', 'boilers@north.test', 'BoilerEngineer')
  await app.addMember('south', 'manager@south.test', 'Manager')
  gateway = await addDevice(app, 'north', { product: 'ZG', serial: 'ZG1000001X', accessRightsTagId: east })
})
afterAll(() => app.close())

const asked = async (email = manager) => {
  const { status, body } = await app.send(getNetworkingDevice, { body: { tenant: 'north', deviceId: gateway } }, email)
  return { status, data: body.data }
}

test('a networking device is returned with the devices connected through it that the user may see [dev-7actions-33]', async () => {
  const { data: alone } = await asked()
  assert.deepEqual([alone!.serialNumber, alone!.children, alone!.childCount], ['ZG1000001X', [], 0])
  const of = { parentId: gateway }
  const light = await addDevice(app, 'north', { ...of, name: 'Stair', serial: 'EM1000002X', accessRightsTagId: east })
  const otherFloorLight = await addDevice(app, 'north', {
    ...of,
    name: 'Attic',
    serial: 'EM1000003X',
    status: 'FailedEquipment',
  })
  const repeater = await addDevice(app, 'north', {
    ...of,
    product: 'ZR',
    name: 'Extender',
    serial: 'ZR1000004X',
    accessRightsTagId: east,
  })
  await addDevice(app, 'north', { name: 'Of nobody', serial: 'EM1000005X' })
  await app.database.owner.query(
    `update device set floor_number = case name when 'Attic' then 3 else 0 end, floor_name = 'F', room = 'Hall',
       connection_status = 'NotConnected' where parent_id = $1`,
    [gateway],
  )
  const heard = new Date('2026-01-05T02:00:00Z')
  await app.database.owner.query(
    `insert into device_link (tenant_id, device_id, heard_at) values ('north', $1, $2)
     on conflict (tenant_id, device_id) do update set heard_at = $2`,
    [light, heard],
  )
  const { data } = await asked()
  assert.deepEqual(
    [data!.childCount, data!.children.map(({ deviceId }) => deviceId)],
    [3, [repeater, light, otherFloorLight]],
  )
  assert.deepEqual(data!.children[1], {
    ...{ deviceId: light, deviceName: 'Stair', serialNumber: 'EM1000002X', productId: 'EM', deviceStatus: 'Ok' },
    ...{ connectionStatus: 'NotConnected', lastHeard: heard.toISOString(), floor: 0, floorName: 'F', room: 'Hall' },
  })
  const limited = await asked('limited@north.test')
  assert.deepEqual(
    [limited.data!.childCount, limited.data!.children.map(({ deviceId }) => deviceId)],
    [2, [repeater, light]],
  )
})

test('lights are hidden from users without lighting, and everything from other clients', async () => {
  const { data } = await asked('boilers@north.test')
  assert.deepEqual([data!.childCount, data!.children.map(({ productId }) => productId)], [1, ['ZR']])
  assert.equal((await asked('manager@south.test')).status, 404)
})
