import type { Page } from '@playwright/test'
import { updateDeviceBuildingLocation } from '@caretaker/contract/devices.ts'
import { getTenantBuildings } from '@caretaker/contract/buildings.ts'
import type { Building } from '@caretaker/contract/buildings.ts'
import { ask } from './fixtures/api.ts'
import { connectDevice } from './fixtures/device.ts'
import { addDevice } from './fixtures/operator.ts'
import { consoleText, expect, test } from './fixtures/test.ts'

const manager = 'manager@northgate.example'
const guest = 'guest@northgate.example'
const main = (page: Page) => page.getByRole('main')
const location = (page: Page) => page.getByRole('region', { name: 'Location', exact: true })

test('what a device sends and is not taken stands on its open page, with reason, number and time, for a guest too', async ({
  pageOf,
}) => {
  const light = await addDevice('northgate')
  const device = await connectDevice(light)
  const page = await pageOf(guest)
  await page.goto(`/northgate/EmergencyLights/${light.deviceId}`)
  await expect(main(page)).toContainText(light.serial)
  await expect(main(page).getByText('Some messages were not taken')).toHaveCount(0)
  const seconds = { ts: Math.floor(Date.now() / 1000), values: { batteryVoltage: 3.6 } }
  await device.say('telemetry', seconds)
  const line = main(page).getByText(/^Some messages were not taken: /)
  await expect(line).toHaveText(
    /^Some messages were not taken: their time is in seconds, not in milliseconds, 1 since \d\d:\d\d\.$/,
  )
  await device.say('telemetry', seconds)
  await device.say('telemetry', { ts: Date.now(), values: { batteryVoltage: '3.6' } })
  await expect(line).toContainText('a text stands where a number belongs, 1 since')
  await expect(line).toContainText('not in milliseconds, 2 since')
  await device.end()
})

test('whoever edits a device gives it building, floor, room and coordinates on its page [dev-8err-11 dev-8err-24]', async ({
  pageOf,
  expectedErrors,
}) => {
  expectedErrors.push(consoleText(500))
  const light = await addDevice('northgate')
  const page = await pageOf(manager)
  const watching = await pageOf(guest)
  for (const one of [page, watching]) await one.goto(`/northgate/EmergencyLights/${light.deviceId}`)
  const { data } = await ask(page, getTenantBuildings, { body: { tenant: 'northgate' } })
  const building = (data as Building[]).find(({ floors }) => floors.length > 1)!
  const floor = building.floors[1]!
  const edit = (one: Page) => location(one).getByRole('button', { name: 'Edit location' })
  await edit(page).click()
  const dialog = page.getByRole('dialog', { name: 'Edit location' })
  const save = dialog.getByRole('button', { name: 'Save' })
  await expect(save).toBeDisabled()
  await dialog.getByRole('combobox', { name: 'Building' }).click()
  await page.getByRole('option', { name: building.name, exact: true }).click()
  await dialog.getByRole('combobox', { name: 'Floor' }).click()
  await page.getByRole('option', { name: floor.name, exact: true }).click()
  await dialog.getByLabel('Room').fill('Plant room')
  await save.click()
  await expect(page.getByText('Request Successful')).toBeVisible()
  for (const one of [page, watching])
    for (const text of [building.name, floor.name, 'Plant room']) await expect(location(one)).toContainText(text)

  await edit(page).click()
  await dialog.getByLabel('Latitude').fill('53.8')
  await dialog.getByLabel('Longitude').fill('-1.5')
  await page.route('**/api/UpdateDeviceGeoLocation', (route) => route.fulfill({ status: 500, json: {} }), { times: 1 })
  await save.click()
  await expect(page.getByText(/^There was an error updating device geo location/)).toBeVisible()
  await save.click()
  await expect(page.getByText('Device geo location updated successfully')).toBeVisible()
  await expect(location(watching)).toContainText('53.8, -1.5')

  // Who may only read is offered nothing, and refused by hand.
  await expect(edit(watching)).toHaveCount(0)
  const { status } = await ask(watching, updateDeviceBuildingLocation, {
    body: { tenant: 'northgate', deviceId: light.deviceId, room: 'Mine' },
  })
  expect(status).toBe(403)
})
