import type { Page } from '@playwright/test'
import { demoDevices } from '@caretaker/demo/fixtures.ts'
import type { Command } from '@caretaker/contract/lighting.ts'
import { getDeviceCommands, runT0Test } from '@caretaker/contract/lighting.ts'
import { ask } from './fixtures/api.ts'
import { expect, test } from './fixtures/test.ts'

// These tests change the same demo rows, so they run one after the other.
test.describe.configure({ mode: 'default' })

const { livelyLight } = demoDevices
const address = `/northgate/EmergencyLights/${livelyLight.deviceId}`
const button = (page: Page) => page.getByRole('button', { name: 'Flick test' })
const progress = (page: Page) => page.getByRole('region', { name: 'Flick test' })
const results = (page: Page) => page.getByRole('table', { name: 'Test results' }).locator('tbody tr')
const tab = (page: Page, name: string) =>
  page.getByRole('navigation', { name: 'Sections of this page' }).getByRole('link', { name })
const form = { tenant: 'northgate', deviceId: livelyLight.deviceId }

async function commandIds(page: Page): Promise<string[]> {
  const { data } = await ask(page, getDeviceCommands, { body: form })
  return (data as Command[]).map(({ commandId }) => commandId)
}

test('an engineer starts a flick test: it is queued and confirmed by the light, and its T0 result appears [core-7.1-26 dev-8err-9]', async ({
  pageOf,
}) => {
  const page = await pageOf('lighting@northgate.example')
  await page.goto(address)
  await expect(page.getByRole('heading', { level: 1 })).toHaveText(livelyLight.name)
  await tab(page, 'Test Results').click()
  await expect(results(page)).not.toHaveCount(0)
  const newest = await results(page).first().innerText()
  await tab(page, 'Info').click()
  // This attribute would be lost if the page were reloaded.
  await page.evaluate(() => document.documentElement.setAttribute('data-kept', ''))
  const before = await commandIds(page)
  const sent = page.waitForRequest('**/api/RunT0Test')
  await button(page).click()
  const body = (await sent).postData() ?? ''
  for (const [name, value] of Object.entries(form)) expect(body).toMatch(new RegExp(`name="${name}"\\s+${value}\\b`))
  await expect(page.getByText('Flick test queued')).toBeVisible()
  await expect(progress(page)).toBeVisible()
  await expect(progress(page).getByText('Confirmed by the device')).toBeVisible({ timeout: 30_000 })
  await expect(progress(page).getByRole('listitem')).toHaveText(['Queued', 'Sent', 'Confirmed'])
  await tab(page, 'Test Results').click()
  await expect(results(page).first()).not.toHaveText(newest, { timeout: 30_000 })
  await expect(results(page).first().getByRole('cell').nth(1)).toHaveText('T0')
  await expect(results(page).first().getByRole('cell').nth(2)).toHaveText('Passed', { timeout: 30_000 })
  await expect(button(page)).toBeEnabled()
  await expect(page.locator('html[data-kept]')).toHaveCount(1)
  // One click sends one command, which the device carries out.
  const added = async () => {
    const { data } = await ask(page, getDeviceCommands, { body: form })
    return (data as Command[]).filter(({ commandId }) => !before.includes(commandId))
  }
  await expect.poll(added).toMatchObject([{ name: 'runTest', args: { testType: 'T0' }, status: 'confirmed' }])
})

test('a light does not exist for users of other areas or clients, whatever client they name', async ({ pageOf }) => {
  const { harbourLight, inWholesale, untaggedLight } = demoDevices
  for (const [email, sent] of [
    // Not a user of the client.
    ['manager@harbour.example', form],
    // A manager of the client named in the call, to which the light does not belong.
    ['manager@harbour.example', { ...form, tenant: 'harbour' }],
    // A user who may test this light in its own client, but names another client.
    ['contractor@multi.example', { ...form, tenant: 'harbour' }],
    ['lighting@northgate.example', { ...form, deviceId: harbourLight.deviceId }],
    // A manager who is restricted to an access rights tag that the light does not have.
    ['limited@northgate.example', { ...form, deviceId: untaggedLight.deviceId }],
  ] as const) {
    const page = await pageOf(email)
    expect((await ask(page, runT0Test, { form: sent })).status, email).toBe(404)
  }
  // A light that was never installed cannot be tested: there is no button, and the call is refused.
  const page = await pageOf('lighting@northgate.example')
  await page.goto(`/northgate/EmergencyLights/${inWholesale.deviceId}`)
  await expect(page.getByRole('heading', { level: 1 })).toHaveText(inWholesale.name)
  await expect(button(page)).toHaveCount(0)
  const uninstalled = { ...form, deviceId: inWholesale.deviceId }
  expect(await ask(page, runT0Test, { form: uninstalled })).toMatchObject({ data: null })
  expect(await ask(page, getDeviceCommands, { body: uninstalled })).toMatchObject({ data: [] })
})

test('the same user has the button only in the client where their role allows it [core-1-3]', async ({ pageOf }) => {
  const page = await pageOf('contractor@multi.example')
  await page.goto(`${address}/testResults`)
  await expect(results(page)).not.toHaveCount(0)
  await expect(button(page)).toBeVisible()
  const { deviceId } = demoDevices.meridianLight
  await page.goto(`/meridian/EmergencyLights/${deviceId}/testResults`)
  await expect(results(page)).not.toHaveCount(0)
  await expect(button(page)).toHaveCount(0)
  expect((await ask(page, runT0Test, { form: { tenant: 'meridian', deviceId } })).status).toBe(403)
})
