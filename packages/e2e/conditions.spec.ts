import { randomUUID } from 'node:crypto'
import type { Page } from '@playwright/test'
import { connectDevice } from './fixtures/device.ts'
import { rowOf } from './fixtures/lists.ts'
import { addDevice } from './fixtures/operator.ts'
import { expect, test } from './fixtures/test.ts'

// Its tests change the same rows of the demo, so they run one after the other.
test.describe.configure({ mode: 'default' })

const why = (page: Page) => page.getByRole('region', { name: 'Reasons for the status' })

/** Each test begins a minute after the one before, and is over by now. */
let begun = Date.now() - 5 * 3_600_000
const nextStart = () => (begun += 60_000)

async function speakingLight(...options: string[]) {
  const light = await addDevice('harbour', '--product', 'EM', ...options)
  const device = await connectDevice(light)
  // A test that passes proves it: the parts are well, and the lamp was lit for the rated time.
  const passed = { Battery: 'Ok', Inverter: 'Ok', Lamp: 'Ok', Emered: 'Ok' }
  const tell = (testType: 'T0' | 'T180', result: string, componentStates: object = passed) =>
    device.say('tests', {
      ...{ eventId: randomUUID(), testType, start: nextStart(), componentStates, result },
      series: Array.from({ length: 19 }, (_, n) => ({ seconds: n * (testType === 'T0' ? 1 : 600), batteryVoltage: 4 })),
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
  await expect(why(page)).toContainText('Battery failed in the 3-hour test (T180)')
  await expect(why(page)).toContainText('Ends with a passed 3-hour test (T180) or when a repair is recorded.')
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

test('a list of what has failed says since when, the oldest first, and leads to the device', async ({ pageOf }) => {
  const page = await pageOf('manager@northgate.example')
  await page.goto('/northgate/Dashboard')
  const card = page.getByRole('article', { name: 'Failed lights' })
  await card.getByRole('link', { name: /^View [\d,]+ lights?$/ }).click()
  await expect(page.getByRole('columnheader', { name: 'Failed since' })).toHaveAttribute('aria-sort', 'ascending')
  await page.goBack()
  await card.getByRole('listitem').first().getByRole('link').click()
  await expect(why(page).getByRole('heading')).toContainText('ailed since')
})
