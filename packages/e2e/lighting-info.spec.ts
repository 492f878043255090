import { randomUUID } from 'node:crypto'
import type { Locator, Page } from '@playwright/test'
import { updateEmeredLuminaire, updateEmeredMonitoredLedCircuit } from '@caretaker/contract/equipment.ts'
import { dayAt } from '@caretaker/rules/calendar/days.ts'
import { batteryTypes } from '@caretaker/rules/lighting/equipment.ts'
import { ask } from './fixtures/api.ts'
import { connectDevice } from './fixtures/device.ts'
import { choose, toast } from './fixtures/lists.ts'
import { addDevice } from './fixtures/operator.ts'
import { answerOnce } from './fixtures/portal.ts'
import { consoleText, expect, test } from './fixtures/test.ts'

// These tests change the same demo rows, so they run one after the other.
test.describe.configure({ mode: 'default' })

const engineer = 'lighting@northgate.example'
const guest = 'guest@northgate.example'
const card = (page: Page, name: string) => page.getByRole('region', { name, exact: true })
const equipment = (page: Page) => card(page, 'Emergency equipment')
const form = (page: Page) => page.getByRole('form', { name: 'Luminaire' })
const row = (within: Locator, label: string) => within.locator('dl > div').filter({ hasText: label })

const addressOf = ({ deviceId }: { deviceId: string }) => `/northgate/EmergencyLights/${deviceId}`

test('the six luminaire fields open together, show their own errors, and are saved as one [dev-3ent-41 dev-3ent-42 dev-5val-30 dev-5val-31 dev-5val-32 dev-5val-33 dev-5val-34 dev-5val-35 dev-5val-36 dev-5val-37 dev-5val-38 dev-5val-39 dev-5val-40 dev-5val-41 dev-5val-42 dev-5val-43]', async ({
  pageOf,
}) => {
  test.setTimeout(90_000)
  const light = await addDevice('northgate')
  const [page, watching] = [await pageOf(engineer), await pageOf(guest)]
  for (const one of [page, watching]) await one.goto(addressOf(light))
  await expect(row(equipment(page), 'Lamp type')).toContainText('Not set')
  await page.getByRole('button', { name: 'Edit luminaire' }).click()
  const save = form(page).getByRole('button', { name: 'Save' })
  await expect(save).toBeDisabled()
  const field = (name: string) => form(page).getByLabel(name)
  for (const [name, wrong, text] of [
    ['Name', '', 'Name is required'],
    ['Battery type', '', 'Battery type is required'],
    ['Battery type', 'Potato', 'Please select battery type from list'],
    ['Battery voltage', '', 'Battery Voltage is required'],
    ['Battery voltage', 'three', 'Battery Voltage needs to be a number'],
    ['Battery voltage', '2.6', 'Battery Voltage must be greater than 2.6V'],
    ['Battery voltage', '12.1', 'Battery Voltage can not be greater than 12V'],
    ['Battery capacity', '', 'Battery Capacity is required'],
    ['Battery capacity', 'many', 'Battery Capacity needs to be a number'],
    ['Battery capacity', '0', 'Battery Capacity must be greater than 0'],
    ['Battery capacity', '20', 'Battery Capacity must be less than 20Ah'],
  ] as const) {
    await field(name).fill('x')
    await field(name).fill(wrong)
    await field(name).blur()
    await expect(form(page).getByText(text, { exact: true })).toBeVisible()
  }
  for (const [name, text] of [
    ['Lamp type', 'Lamp type is required'],
    ['Inverter type', 'Inverter type is required'],
  ] as const) {
    await field(name).focus()
    await field(name).blur()
    await expect(form(page).getByText(text, { exact: true })).toBeVisible()
  }
  await expect(save).toBeDisabled()
  await field('Battery type').fill('')
  await expect(page.getByRole('option')).toHaveText(
    batteryTypes.map((type) => new RegExp(`^${type}( ?usual [\\d.]+ V)?$`)),
  )
  await page.getByRole('option', { name: 'Nickel Cadmium' }).click()
  await field('Name').fill('Stairwell, microwave')
  await choose(page, 'Lamp type', 'LED')
  await choose(page, 'Inverter type', 'Self-contained')
  await field('Battery voltage').fill('12')
  await field('Battery capacity').fill('4.0')
  await expect(form(page)).toContainText('Changes 6 of 6')
  const sent = page.waitForRequest(`**${updateEmeredLuminaire.path}`)
  await field('Battery capacity').press('Enter')
  expect((await sent).postDataJSON()).toEqual({
    ...{ tenant: 'northgate', deviceId: light.deviceId, name: 'Stairwell, microwave', lampType: 'LED' },
    ...{ inverterType: 'Self-contained', batteryType: 'Nickel Cadmium', batteryVoltage: 12, batteryCapacity: 4 },
    version: expect.any(Number),
  })
  await expect(toast(page, 'Request Successful')).toBeVisible()
  await expect(form(page)).toHaveCount(0)
  for (const one of [page, watching])
    for (const text of ['Stairwell, microwave', 'LED', 'Self-contained', 'Nickel Cadmium, 12 V, 4 Ah'])
      await expect(equipment(one)).toContainText(text)

  // The page counts changes and shows the previous values; Escape reverts the changes.
  await page.getByRole('button', { name: 'Edit luminaire' }).click()
  await field('Battery capacity').fill('2.5')
  await expect(form(page)).toContainText('Changes 1 of 6: battery capacity.')
  await expect(form(page)).toContainText('Was 4 Ah')
  // The first Escape closes the field's suggestions.
  for (const key of ['Escape', 'Escape']) await field('Battery capacity').press(key)
  await expect(form(page)).toHaveCount(0)
  await expect(page.getByRole('button', { name: 'Edit luminaire' })).toBeFocused()
  await expect(equipment(page)).toContainText('12 V, 4 Ah')
})

test('a field of a light switches between viewing and editing, is saved, rejected with a reason, and reverted [dev-2detail-36 dev-2detail-37 dev-3ent-43 dev-6other-4 dev-8err-11 dev-8err-24]', async ({
  pageOf,
  expectedErrors,
}) => {
  expectedErrors.push(consoleText(500))
  test.setTimeout(90_000)
  const light = await addDevice('northgate')
  const [page, watching] = [await pageOf(engineer), await pageOf(guest)]
  for (const one of [page, watching]) await one.goto(addressOf(light))
  const location = card(page, 'Location')
  const edit = (label: string) => page.getByRole('button', { name: `Edit ${label}`, exact: true })
  const save = page.getByRole('button', { name: 'Save', exact: true })

  await edit('Room').click()
  const room = location.getByRole('textbox', { name: 'Room' })
  await expect(room).toBeFocused()
  await expect(save).toBeDisabled()
  await room.fill('Plant room')
  await expect(save).toBeEnabled()
  await room.press('Escape')
  await expect(room).toHaveCount(0)
  await expect(row(location, 'Room')).toContainText('Not set')
  await row(location, 'Room').click()
  await room.fill('Plant room')
  await room.press('Enter')
  await expect(row(location, 'Room')).toContainText('Plant room')
  await expect(card(watching, 'Location')).toContainText('Plant room')

  await edit('Coordinates').click()
  const coordinates = location.getByRole('textbox', { name: 'Coordinates' })
  await coordinates.fill('north')
  await expect(location.getByText(/^Enter latitude and longitude/)).toBeVisible()
  await expect(save).toBeDisabled()
  await answerOnce(page, '**/api/UpdateDeviceGeoLocation', (route) => route.fulfill({ status: 500, json: {} }))
  await coordinates.fill('53.8, -1.5')
  await save.click()
  await expect(location.getByText(/^There was an error updating device geo location ./)).toBeVisible()
  await expect(row(location, 'Coordinates')).toContainText('Not set')
  await location.getByRole('button', { name: 'Try again' }).click()
  await expect(page.getByText('Device geo location updated successfully')).toBeVisible()
  await expect(card(watching, 'Location')).toContainText('53.8, -1.5')

  await edit('Monitored LED circuit').click()
  const options = equipment(page).getByRole('radio')
  await expect(options).toHaveCount(3)
  for (const text of [
    'Emergency circuit only',
    'Maintained lighting circuit only',
    'Single circuit monitoring emergency and maintained',
  ])
    await expect(equipment(page).getByRole('radio', { name: text, exact: true })).toBeVisible()
  // One field is open at a time.
  await edit('Room').click()
  await expect(options).toHaveCount(3)
  await equipment(page).getByText('Maintained lighting circuit only').click()
  await equipment(page).getByRole('button', { name: 'Save' }).click()
  await expect(row(equipment(page), 'Monitored LED circuit')).toContainText('Maintained lighting circuit only')
  await expect(equipment(watching)).toContainText('Maintained lighting circuit only')

  await edit('Operating mode').click()
  await page.getByRole('combobox', { name: 'Operating mode' }).click()
  await page.getByRole('option', { name: 'Non-maintained', exact: true }).click()
  await equipment(page).getByRole('button', { name: 'Save' }).click()
  await expect(row(equipment(page), 'Operating mode')).toContainText('Non-maintained')
  await edit('Operating mode').click()
  await page.getByRole('combobox', { name: 'Operating mode' }).click()
  await page.getByRole('option', { name: 'Not set' }).click()
  await equipment(page).getByRole('button', { name: 'Save' }).click()
  await expect(row(equipment(page), 'Operating mode')).toContainText('Not set')
  await edit('Key switch').click()
  await page.getByRole('textbox', { name: 'Key switch' }).fill('Riser, level 2')
  await equipment(page).getByRole('button', { name: 'Save' }).click()
  await expect(row(equipment(watching), 'Key switch')).toContainText('Riser, level 2')

  // A read-only user cannot edit, not even by a direct call.
  await expect(watching.getByRole('main').getByRole('button', { name: /^Edit / })).toHaveCount(0)
  const { status } = await ask(watching, updateEmeredMonitoredLedCircuit, {
    body: { tenant: 'northgate', deviceId: light.deviceId, monitoredLedCircuit: 'single' },
  })
  expect(status).toBe(403)
})

test('a failed test comes first on each tab of a light, and leads to its results', async ({ pageOf }) => {
  const light = await addDevice('northgate')
  const device = await connectDevice(light)
  const page = await pageOf(guest)
  await page.goto(addressOf(light))
  await expect(card(page, 'Last tests')).toContainText('No test results')
  const alarm = card(page, 'Alarm')
  await expect(alarm).toHaveCount(0)
  const burning = (minutes: number) =>
    Array.from({ length: minutes + 1 }, (_, minute) => ({ seconds: minute * 60, batteryVoltage: 4 - minute / 200 }))
  await device.publish('tests', {
    ...{
      eventId: randomUUID(),
      testType: 'T180',
      start: Date.now() - 86_000_000,
      result: 'Failed',
      series: burning(112),
    },
    componentStates: { Battery: 'Failed' },
  })
  await expect(alarm).toContainText('3-hour test (T180) failed: battery')
  await expect(alarm).toContainText('Lit for 1 h 52 min of 3 h.')
  await expect(card(page, 'Last tests')).toContainText('Failed')
  await expect(row(equipment(page), 'Battery lasts')).toContainText('112 min')
  await expect(row(equipment(page), 'Battery lasts')).not.toContainText('battery before')
  // The test result does not apply to a battery that was fitted later.
  const other = await pageOf(engineer)
  await other.goto(addressOf(light))
  const put = await ask(other, updateEmeredLuminaire, {
    body: {
      ...{
        tenant: 'northgate',
        deviceId: light.deviceId,
        name: 'Bulkhead',
        lampType: 'LED',
        inverterType: 'Self-contained',
      },
      ...{ batteryType: batteryTypes[0], batteryVoltage: 3.6, batteryCapacity: 4 },
      batteryInstalledDate: dayAt(Date.now(), 'Europe/London'),
    },
  })
  expect(put.status).toBe(200)
  await expect(row(equipment(page), 'Battery lasts')).toContainText('with the battery before this one')
  await alarm.getByRole('link', { name: 'Show test' }).click()
  await expect(page.getByRole('dialog', { name: /^T180 of / })).toBeVisible()
  await page.keyboard.press('Escape')
  await expect(page.getByRole('table', { name: 'Test results' })).toContainText('T180')
  await expect(alarm).toContainText('3-hour test (T180) failed: battery')
  await expect(alarm.getByRole('list')).toHaveCount(0)
  await device.publish('tests', {
    ...{
      eventId: randomUUID(),
      testType: 'T180',
      start: Date.now() - 3 * 3_600_000,
      result: 'Passed',
      series: burning(180),
      componentStates: {},
    },
  })
  await expect(alarm).toHaveCount(0)
  await device.end()
})
