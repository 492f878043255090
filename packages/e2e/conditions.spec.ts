import { randomUUID } from 'node:crypto'
import type { Page } from '@playwright/test'
import { connectDevice } from './fixtures/device.ts'
import { rowOf } from './fixtures/lists.ts'
import { addDevice } from './fixtures/operator.ts'
import { expect, test } from './fixtures/test.ts'

// These tests change the same demo rows, so they run one after the other.
test.describe.configure({ mode: 'default' })

const why = (page: Page) => page.getByRole('region', { name: 'Reasons for the status' })

/** The start of the latest test. Each test starts a minute after the previous one, and all lie in the past. */
let latestStart = Date.now() - 5 * 3_600_000
const nextStart = () => (latestStart += 60_000)

async function speakingLight(...options: string[]) {
  const light = await addDevice('harbour', '--product', 'EM', ...options)
  const device = await connectDevice(light)
  // A passing test proves the repair: all parts are good, and the lamp was lit for the rated time.
  const passed = { Battery: 'Ok', Inverter: 'Ok', Lamp: 'Ok', Emered: 'Ok' }
  const reportTest = (testType: 'T0' | 'T180', result: string, componentStates: object = passed) =>
    device.publish('tests', {
      ...{ eventId: randomUUID(), testType, start: nextStart(), componentStates, result },
      series: Array.from({ length: 19 }, (_, n) => ({ seconds: n * (testType === 'T0' ? 1 : 600), batteryVoltage: 4 })),
    })
  return { ...light, device, reportTest, address: `/harbour/EmergencyLights/${light.deviceId}` }
}

test('an untested light has not passed, and a flick test does not clear a failed 3-hour test', async ({ pageOf }) => {
  const light = await speakingLight()
  await light.device.publish('state', { firmware: '1.0' })
  const page = await pageOf('manager@harbour.example')
  await page.goto(light.address)
  await expect(why(page).getByRole('heading')).toContainText('Warning: Installed since')
  await expect(why(page)).toContainText('Never tested')
  await light.reportTest('T180', 'Failed', { Battery: 'Failed' })
  await expect(why(page)).toContainText('Battery failed in the 3-hour test (T180)')
  await expect(why(page)).toContainText('Ends with a passed 3-hour test (T180) or when a repair is recorded.')
  await light.reportTest('T0', 'Passed')
  await page.goto(`/harbour/EmergencyLights?search=${light.serial}`)
  const row = rowOf(page, light.serial)
  await expect(row.locator('[data-tone]').first()).toHaveText('Failed')
  await expect(row).toContainText('Battery T180')
  await light.reportTest('T180', 'Passed')
  await page.goto(light.address)
  await expect(why(page).getByRole('heading')).toContainText('Passed since')
  await why(page).getByText('3 earlier reasons').click()
  await expect(why(page)).toContainText('A test passed.')
  await light.device.end()
})

test('a list of failures shows since when, oldest first, and leads to the device', async ({ pageOf }) => {
  const page = await pageOf('manager@northgate.example')
  await page.goto('/northgate/Dashboard')
  const card = page.getByRole('article', { name: 'Failed lights' })
  await card.getByRole('link', { name: /^View [\d,]+ lights?$/ }).click()
  await expect(page.getByRole('columnheader', { name: 'Failed since' })).toHaveAttribute('aria-sort', 'ascending')
  await page.goBack()
  await card.getByRole('listitem').first().getByRole('link').click()
  await expect(why(page).getByRole('heading')).toContainText('ailed since')
})
