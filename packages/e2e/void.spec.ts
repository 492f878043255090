import type { Page } from '@playwright/test'
import { demoHomes, demoPropertyId } from '@caretaker/demo/fixtures.ts'
import type { Property } from '@caretaker/contract/properties.ts'
import { getProperty, putPropertyDetails } from '@caretaker/contract/properties.ts'
import { dialog } from './fixtures/actions.ts'
import { ask } from './fixtures/api.ts'
import { findings } from './fixtures/axe.ts'
import { answerOnce } from './fixtures/portal.ts'
import { consoleText, expect, test } from './fixtures/test.ts'

test.describe.configure({ timeout: 600_000 })
test.use({ expectedErrors: ['net::ERR_FAILED', consoleText(403)] })

const card = (page: Page, name: string | RegExp) => page.getByRole('region', { name })
const effectIn = (page: Page, name: string | RegExp, title: string) =>
  card(page, name).getByRole('listitem').filter({ hasText: title })
const flag = (page: Page) => page.getByRole('switch', { name: 'Void Property Flag' })
/**
 * A command is sent within a minute, or two on a busy machine; the device replies within three seconds, and the page receives the
 * reply within another three.
 */
const answered = { timeout: 150_000 }

/** Presses the switch, and confirms or cancels the dialog. */
async function press(page: Page, word: 'on' | 'off', verb: 'Confirm' | 'Cancel'): Promise<void> {
  await flag(page).press('Space')
  const asked = dialog(page, `Turn void ${word} for ${demoHomes.void}?`)
  await expect(asked.getByText(/alerts (muted|active again)/)).toBeVisible()
  await asked.getByRole('button', { name: verb }).click()
  await expect(asked).toHaveCount(0)
}

test('a property is set to void and back: each effect is requested, confirmed by its device, and reverted [est-4-33 est-4-34 est-4-35 est-4-36 est-4-37 est-4-38 est-4-39 est-4-40 est-4-47]', async ({
  pageOf,
}) => {
  const page = await pageOf('manager@northgate.example')
  const propertyId = demoPropertyId(demoHomes.void)
  await page.goto(`/northgate/Properties/${propertyId}/info`)
  await expect(flag(page)).toBeVisible()
  // A failed attempt may have left another state.
  const params = { tenant: 'northgate', propertyId }
  const { voidStatus } = (await ask(page, getProperty, { params })).data as Property
  if (voidStatus === 'NotVoid') await ask(page, putPropertyDetails, { params, body: { voidStatus: 'Void' } })
  await expect(flag(page)).toBeChecked()

  // The demo's property is void: its boiler and its PowerSense F have received and confirmed the commands.
  await expect(effectIn(page, 'Void', 'Heating held at 10 °C')).toContainText('Confirmed', answered)
  await expect(effectIn(page, 'Void', 'Electricity off')).toContainText('Confirmed', answered)
  // At the hour of the weekly firing, both the one that just ran and the next one are listed.
  await expect(effectIn(page, 'Void', 'Boiler fires for 5 minutes').filter({ hasText: 'Planned' })).toHaveCount(1)
  await expect(effectIn(page, 'Void', 'Device alerts muted')).toContainText('In force')

  // Nothing is sent before the confirmation, and a refused or cancelled change leaves the switch as it was.
  const sent: unknown[] = []
  page.on('request', (request) => {
    if (/Details$/i.test(request.url())) sent.push(request.postDataJSON().voidStatus)
  })
  await press(page, 'off', 'Cancel')
  await expect(flag(page)).toBeChecked()
  expect(sent).toEqual([])
  await answerOnce(page, '**/Details', (route) => route.abort())
  await press(page, 'off', 'Confirm')
  await expect(flag(page)).toBeChecked()
  expect(sent).toEqual(['NotVoid'])

  await flag(page).press('Space')
  const off = dialog(page, `Turn void off for ${demoHomes.void}?`)
  await expect(off.getByText(/^Heating maximum back to \d+ °C$/)).toBeVisible()
  await expect(off).toContainText('An engineer must manually reactivate the boiler module to restore the current')
  expect(await findings(page, { include: '[data-dialog]' })).toEqual([])
  await off.getByRole('button', { name: 'Confirm' }).click()
  await expect(page.getByText('Void property flag OFF successfully!')).toBeVisible()
  await expect(flag(page)).not.toBeChecked()
  await expect(effectIn(page, 'After void', 'Heating maximum back to')).toContainText('Confirmed', answered)
  await expect(effectIn(page, 'After void', 'PowerSense F released')).toContainText('Confirmed', answered)
  await expect(effectIn(page, 'After void', 'PowerSense F released')).toContainText('The portal does not restore it.')
  // After void is turned off, no boiler firing is planned.
  await expect(page.getByText('Boiler fires for 5 minutes')).toHaveCount(0)

  await page.setViewportSize({ width: 390, height: 844 })
  await page.clock.install()
  await flag(page).press('Space')
  const on = dialog(page, `Turn void on for ${demoHomes.void}?`)
  await expect(on.getByText(/alerts muted/)).toBeVisible()
  // The message disappears after two seconds; it stays while the clock is paused.
  await page.clock.pauseAt(new Date((await page.evaluate(() => Date.now())) + 1000))
  await on.getByRole('button', { name: 'Confirm' }).click()
  const success = page.getByText('Void property flag ON successfully!')
  // The page's own timers use the same clock.
  await expect(async () => {
    await page.clock.runFor(50)
    expect(await success.isVisible()).toBe(true)
  }).toPass({ intervals: [50], timeout: 60_000 })
  await page.clock.runFor(1900)
  await expect(success).toBeVisible()
  await page.clock.runFor(200)
  await expect(success).toHaveCount(0)
  await page.clock.resume()
  await expect(on).toHaveCount(0)
  await expect(effectIn(page, 'Void', 'Heating held at 10 °C')).toContainText('Confirmed', answered)
  await expect(effectIn(page, 'Void', 'Electricity off')).toContainText('Confirmed', answered)
  const width = await page.evaluate(() => document.documentElement.scrollWidth)
  expect(width).toBeLessThanOrEqual(390)

  // A read-only user is refused, whatever the page offers.
  const guest = await pageOf('guest@northgate.example')
  const refused = await ask(guest, putPropertyDetails, { params, body: { voidStatus: 'NotVoid' } })
  expect(refused.status).toBe(403)
})
