import type { Page } from '@playwright/test'
import { updateDeviceBuildingLocation } from '@caretaker/contract/devices.ts'
import { getTenantBuildings } from '@caretaker/contract/buildings.ts'
import type { Building } from '@caretaker/contract/buildings.ts'
import { ask } from './fixtures/api.ts'
import { connectDevice } from './fixtures/device.ts'
import { choose } from './fixtures/lists.ts'
import { addDevice } from './fixtures/operator.ts'
import { expect, test } from './fixtures/test.ts'

// These tests change the same demo rows, so they run one after the other.
test.describe.configure({ mode: 'default' })

const manager = 'manager@northgate.example'
const guest = 'guest@northgate.example'
const main = (page: Page) => page.getByRole('main')
const location = (page: Page) => page.getByRole('region', { name: 'Location', exact: true })

test('a rejected message is shown on the open page of its device, with reason, count and time, for a guest too', async ({
  pageOf,
}) => {
  const light = await addDevice('northgate')
  const device = await connectDevice(light)
  const page = await pageOf(guest)
  await page.goto(`/northgate/EmergencyLights/${light.deviceId}`)
  await expect(main(page)).toContainText(light.serial)
  await expect(main(page).getByText('Some messages, or parts of them, were not stored')).toHaveCount(0)
  const seconds = { ts: Math.floor(Date.now() / 1000), values: { batteryVoltage: 3.6 } }
  await device.publish('telemetry', seconds)
  const line = main(page).getByText(/^Some messages, or parts of them, were not stored: /)
  await expect(line).toHaveText(
    /^Some messages, or parts of them, were not stored: their time is in seconds instead of milliseconds \(field ts\), 1 since \d\d:\d\d\.$/,
  )
  await device.publish('telemetry', seconds)
  await device.publish('telemetry', { ts: Date.now(), values: { batteryVoltage: '3.6' } })
  await expect(line).toContainText('a value is text instead of a number (field values.batteryVoltage), 1 since')
  await expect(line).toContainText('instead of milliseconds (field ts), 2 since')
  await device.end()
})

test('a user who may edit a device moves it to a building and floor, and open pages update', async ({ pageOf }) => {
  const light = await addDevice('northgate')
  const page = await pageOf(manager)
  const watching = await pageOf(guest)
  for (const one of [page, watching]) await one.goto(`/northgate/EmergencyLights/${light.deviceId}`)
  const { data } = await ask(page, getTenantBuildings, { body: { tenant: 'northgate' } })
  const building = (data as Building[]).find(({ floors }) => floors.length > 1)!
  const floor = building.floors[1]!
  const edit = (one: Page, label: string) => location(one).getByRole('button', { name: `Edit ${label}` })
  // Without a building, there is no floor to choose.
  await expect(edit(page, 'Building')).toBeVisible()
  await expect(edit(page, 'Floor')).toHaveCount(0)
  for (const [label, name] of [
    ['Building', building.name],
    ['Floor', floor.name],
  ] as const) {
    await edit(page, label).click()
    await choose(page, label, name)
    await location(page).getByRole('button', { name: 'Save' }).click()
    for (const one of [page, watching]) await expect(location(one)).toContainText(name)
  }
  const head = watching.getByRole('main').locator('header').first()
  for (const text of [building.name, floor.name]) await expect(head).toContainText(text)

  // A read-only user cannot edit, not even by a direct call.
  await expect(edit(watching, 'Building')).toHaveCount(0)
  const { status } = await ask(watching, updateDeviceBuildingLocation, {
    body: { tenant: 'northgate', deviceId: light.deviceId, room: 'Mine' },
  })
  expect(status).toBe(403)
})
