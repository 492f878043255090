import assert from 'node:assert/strict'
import { afterAll, beforeAll, test } from 'vitest'
import { fetchViewData } from '@caretaker/contract/devices.ts'
import { searchEverything } from '@caretaker/contract/search.ts'
import type { TestApp } from '../../testing/app.ts'
import { testApp } from '../../testing/app.ts'
import { addDevice } from '../../testing/furnish/devices.ts'

let app: TestApp
const [manager, stranger] = ['manager@north.test', 'manager@south.test']

beforeAll(async () => {
  app = await testApp()
  for (const tenant of ['north', 'south']) await app.addTenant(tenant)
  await app.addMember('north', manager, 'Manager')
  await app.addMember('south', stranger, 'Manager')
  for (const [serial, name] of [
    ['EM1000102X', 'Café light, Level 0'],
    ['EM1000203X', 'St Mary’s hall, Level 10'],
    ['EM1000304X', "O'Neill lobby, Flat 02"],
    ['EM1000405X', 'Stairs 2a'],
  ] as const)
    await addDevice(app, 'north', { serial, name })
  await addDevice(app, 'south', { serial: 'EM1000506X', name: 'Café light, Level 0' })
})
afterAll(() => app.close())

test('the list of devices and the palette find the same rows, and nothing of another client', async () => {
  for (const [search, serials] of [
    ['level 0', ['EM1000102X']],
    ['00', ['EM1000102X']],
    ['level 10', ['EM1000203X']],
    ['02', ['EM1000304X', 'EM1000405X']],
    ['02 flat', ['EM1000304X']],
    ['marys hall', ['EM1000203X']],
    ['CAFE\u0301', ['EM1000102X']],
    ['oneill', ['EM1000304X']],
    ['304', ['EM1000304X']],
    ['light stairs', []],
  ] as const) {
    const { body: list } = await app.send(
      fetchViewData,
      { body: { tenant: 'north', listing: 'EmergencyLights', search, page: 1 } },
      manager,
    )
    const { body: palette } = await app.send(searchEverything, { body: { tenant: 'north', search } }, manager)
    const listed = list.data!.rows.map(({ deviceSerial }) => deviceSerial).toSorted()
    const found = palette.data!.devices.items.map(({ serialNumber }) => serialNumber).toSorted()
    assert.deepEqual([listed, found], [[...serials], [...serials]], search)
  }
  const { body } = await app.send(searchEverything, { body: { tenant: 'south', search: 'level 0' } }, stranger)
  assert.deepEqual(
    body.data!.devices.items.map(({ serialNumber }) => serialNumber),
    ['EM1000506X'],
  )
})
