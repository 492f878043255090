import type { Page } from '@playwright/test'
import { dialog } from './fixtures/actions.ts'
import { simulate } from './fixtures/simulator.ts'
import { expect, test } from './fixtures/test.ts'

const card = (page: Page, name: string) => page.getByRole('region', { name, exact: true })
const waiting = 'Waiting for device confirmation'
/** A device replies within three seconds, and the page receives the reply within another three. */
const answered = { timeout: 20_000 }

test("a heat saviour asks for confirmation, shows the reported switch state and the effect on the heat pump's power [dev-4heat-1 dev-4heat-2 dev-4heat-3 dev-4heat-4 dev-8err-12 dev-8err-13] [est-4-53] [est-4-54] [est-4-55]", async ({
  newClient,
}) => {
  test.slow()
  const client = await newClient({ name: 'Saving Homes' })
  const pump = await client.device('ASHP')
  const power = await client.device('PS', { parent: pump })
  const page = await client.pageOf('Manager')
  const connectSwitch = () =>
    simulate([
      { ...pump, model: 'airSourceHeatPump', product: 'ASHP' },
      {
        ...power,
        password: null,
        parentId: pump.deviceId,
        model: 'powerSwitch',
        product: 'PS',
        traits: { relay2: false },
      },
    ])
  const disconnectSwitch = connectSwitch()
  await page.goto(client.at(`Boilers/${pump.deviceId}`))
  const saviour = card(page, 'Heat saviour')
  const immersion = saviour.getByRole('group', { name: 'Immersion heater' })
  const flip = immersion.getByRole('switch')
  await expect(immersion.getByText('State confirmed')).toBeVisible(answered)
  await expect(flip).not.toBeChecked()

  const sent: unknown[] = []
  page.on('request', (request) => {
    if (request.url().includes('/powerswitches/') && request.method() === 'PATCH') sent.push(request.postDataJSON())
  })
  await immersion.locator('label').first().click()
  await dialog(page, 'Turn on the immersion heater?').getByRole('button', { name: 'Cancel' }).click()
  await expect(flip).not.toBeChecked()
  expect(sent).toEqual([])

  // While the switch is offline, the page does not show the change as done.
  await disconnectSwitch()
  await immersion.locator('label').first().click()
  await dialog(page, 'Turn on the immersion heater?').getByRole('button', { name: 'Turn on' }).click()
  await expect(page.getByText('Heat Saviour enabled successfully!')).toBeVisible()
  expect(sent).toEqual([{ relayPower: { 2: true } }])
  await expect(flip).toBeChecked()
  await expect(immersion.getByText(waiting)).toBeVisible()
  const simulated = connectSwitch()
  await expect(immersion.getByText('State confirmed')).toBeVisible({ timeout: 40_000 })
  await expect(immersion).toContainText(/On since \d\d\/\d\d\/\d{4}/)

  const itself = saviour.getByRole('group', { name: 'Air source heat pump' })
  await itself.locator('label').first().click()
  await dialog(page, 'Turn off the air source heat pump?').getByRole('button', { name: 'Turn off' }).click()
  await expect(page.getByText('Heat Saviour disabled successfully!')).toBeVisible()
  await expect(itself.getByText('State confirmed')).toBeVisible(answered)
  // The power of the heat pump follows the request. While it is off, there is no heat output per kWh.
  const electricity = card(page, 'Electricity in the last 24 hours').getByRole('img')
  await expect(electricity).toHaveAccessibleDescription(
    /Immersion heater asked on at .+Air source heat pump asked off at/,
  )
  await expect(card(page, 'Right now')).toContainText(/Heat for 1 kWh\s*No heat output/, answered)
  await simulated()
})
