import { randomUUID } from 'node:crypto'
import type { Page } from '@playwright/test'
import { demoDevices } from '@caretaker/demo/fixtures.ts'
import { connectDevice } from './fixtures/device.ts'
import { choose, rowOf, toast } from './fixtures/lists.ts'
import { addDevice } from './fixtures/operator.ts'
import { expect, test } from './fixtures/test.ts'

const why = (page: Page) => page.getByRole('region', { name: 'Why it has its status' })
const now = () => Date.now()

async function speakingLight(...options: string[]) {
  const light = await addDevice('harbour', '--product', 'EM', ...options)
  const device = await connectDevice(light)
  // One that passes shows it: its parts are well, and it burned for as long as was asked.
  const passed = { Battery: 'Ok', Inverter: 'Ok', Lamp: 'Ok', Emered: 'Ok' }
  const tell = (testType: 'T0' | 'T180', result: string, componentStates: object = passed) =>
    device.say('tests', {
      ...{ eventId: randomUUID(), testType, start: now(), componentStates, result },
      series: [0, testType === 'T0' ? 10 : 10_800].map((seconds) => ({ seconds, batteryVoltage: 4 })),
    })
  return { ...light, device, tell, address: `/harbour/EmergencyLights/${light.deviceId}` }
}

test('a light that nobody has tested has not passed; a flick test does not take a failed three-hour test away', async ({
  pageOf,
}) => {
  const light = await speakingLight()
  await light.device.say('state', { firmware: '1.0' })
  const page = await pageOf('manager@harbour.example')
  await page.goto(light.address)
  await expect(why(page).getByRole('heading')).toContainText('Warning: Installed since')
  await expect(why(page)).toContainText('Never tested')
  await light.tell('T180', 'Failed', { Battery: 'Failed' })
  await expect(why(page)).toContainText('Battery failed in the T180 test')
  await expect(why(page)).toContainText('Ends with a passed T180 test or when a repair is recorded.')
  await light.tell('T0', 'Passed')
  await page.goto(`/harbour/EmergencyLights?search=${light.serial}`)
  const row = rowOf(page, light.serial)
  await expect(row.locator('[data-tone]').first()).toHaveText('Failed')
  await expect(row).toContainText('Battery T180')
  await light.tell('T180', 'Passed')
  await page.goto(light.address)
  await expect(why(page).getByRole('heading')).toContainText('Passed since')
  await why(page).getByText('3 earlier reasons').click()
  await expect(why(page)).toContainText('A test passed.')
  await light.device.end()
})

test('a repair is recorded with name and day, and stays a warning until a test as long has passed', async ({
  pageOf,
}) => {
  const light = await speakingLight()
  await light.tell('T180', 'Failed', { Lamp: 'Failed' })
  const page = await pageOf('manager@harbour.example')
  await page.goto(light.address)
  await why(page).getByRole('button', { name: 'Record repair' }).click()
  const dialog = page.getByRole('dialog', { name: 'Record repair' })
  const record = dialog.getByRole('button', { name: 'Record' })
  await expect(record).toBeDisabled()
  await dialog.getByLabel('Repaired by').fill('Ada Fitter')
  await dialog.getByLabel('Repaired on').fill('31/12/2999')
  await dialog.getByLabel('Note').click()
  await expect(dialog).toContainText('Enter a day as DD/MM/YYYY, today at the latest')
  await expect(record).toBeDisabled()
  const today = new Intl.DateTimeFormat('en-GB', { timeZone: 'Europe/London' }).format(now())
  await dialog.getByLabel('Repaired on').fill(today)
  await record.click()
  await expect(toast(page, 'Repair recorded. The status is now Warning: Repaired equipment.')).toBeVisible()
  await expect(why(page)).toContainText(`Repaired by Ada Fitter on ${today}.`)
  await light.tell('T0', 'Passed')
  await expect(why(page).getByRole('heading')).toContainText('Repaired equipment')
  await light.tell('T180', 'Passed')
  await expect(why(page).getByRole('heading')).toContainText('Passed since')
  await light.device.end()
})

test('what is done until a light is put right is written beside why it failed; who may not write it reads it', async ({
  pageOf,
}) => {
  const light = await speakingLight()
  await light.tell('T180', 'Failed', { Lamp: 'Failed' })
  const page = await pageOf('manager@harbour.example')
  await page.goto(light.address)
  await why(page).getByRole('button', { name: 'Edit Interim measure' }).click()
  await why(page).getByRole('textbox', { name: 'Interim measure' }).fill('Torch by the door')
  await why(page).getByRole('button', { name: 'Save' }).click()
  await expect(why(page)).toContainText('Torch by the door')
  await light.tell('T180', 'Failed', { Lamp: 'Failed', Battery: 'Failed' })
  await expect(why(page)).toContainText('Battery, Lamp failed in the T180 test')
  await expect(why(page)).toContainText('Torch by the door')
  await light.device.end()
  const reader = await pageOf('guest@northgate.example')
  await reader.goto(`/northgate/EmergencyLights/${demoDevices.failedT180.deviceId}`)
  await expect(why(reader)).toContainText('Battery lantern on the landing')
  await expect(why(reader).getByRole('button')).toHaveCount(0)
})

test('somebody sets a status with a note and ends it; who may only read is offered neither', async ({ pageOf }) => {
  const light = await speakingLight()
  await light.tell('T0', 'Passed')
  const page = await pageOf('manager@harbour.example')
  await page.goto(light.address)
  await why(page).getByRole('button', { name: 'Set status' }).click()
  const dialog = page.getByRole('dialog', { name: 'Set status' })
  await choose(page, 'What is so', 'Disabled for another reason')
  await dialog.getByLabel('Note').fill('Refurbishment')
  await dialog.getByRole('button', { name: 'Set', exact: true }).click()
  await expect(why(page)).toContainText('“Refurbishment”')
  await expect(why(page).getByRole('heading')).toContainText('Disabled other')
  await why(page).getByRole('button', { name: 'End: Disabled' }).click()
  await page.getByRole('dialog', { name: 'End it?' }).getByRole('button', { name: 'End' }).click()
  await expect(why(page).getByRole('heading')).toContainText('Passed since')
  await light.device.end()
})

test('a guest reads why and is offered nothing', async ({ pageOf }) => {
  const page = await pageOf('guest@northgate.example')
  await page.goto('/northgate/EmergencyLights/Listing/emered-failed')
  await page.locator('tbody tr[data-row] a').first().click()
  await expect(why(page).getByRole('heading')).toContainText('ailed since')
  await expect(why(page).getByRole('button')).toHaveCount(0)
})

test('a list of what has failed says since when, the oldest first, and leads to the device', async ({ pageOf }) => {
  const page = await pageOf('manager@northgate.example')
  await page.goto('/northgate/Dashboard')
  const card = page.getByRole('article', { name: 'Failed lights' })
  await card.getByRole('link', { name: 'See failed lights' }).click()
  await expect(page.getByRole('columnheader', { name: 'Failed since' })).toHaveAttribute('aria-sort', 'ascending')
  await page.goBack()
  await card.getByRole('listitem').first().getByRole('link').click()
  await expect(why(page).getByRole('heading')).toContainText('ailed since')
})
