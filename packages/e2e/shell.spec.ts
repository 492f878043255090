import { demoDevices } from '@caretaker/demo/fixtures.ts'
import { getEmered } from '@caretaker/contract/devices.ts'
import { ask } from './fixtures/api.ts'
import { expect, test } from './fixtures/test.ts'

const manager = 'manager@northgate.example'

test('the desktop sidebar keeps its state after a reload [core-2.3-14 est-9-27]', async ({ pageOf }) => {
  const page = await pageOf(manager)
  await page.goto('/northgate/Dashboard')
  const fold = page.getByRole('button', { name: 'Collapse menu' })
  const unfold = page.getByRole('button', { name: 'Expand menu' })
  await fold.click()
  await expect(unfold).toBeVisible()
  await page.reload()
  await expect(unfold).toBeVisible()
  await unfold.click()
  await expect(fold).toBeVisible()
  await page.reload()
  await expect(fold).toBeVisible()
})

test('colours follow the system until the user chooses otherwise, and the choice is kept', async ({ pageOf }) => {
  const page = await pageOf(manager, { colorScheme: 'light' })
  const background = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor)
  const toDark = page.getByRole('button', { name: 'Use dark colours' })
  const toLight = page.getByRole('button', { name: 'Use light colours' })
  await page.goto('/northgate/Dashboard')
  const light = await background()
  await toDark.click()
  await expect(toLight).toBeVisible()
  await expect.poll(background).not.toBe(light)
  const dark = await background()
  await page.reload()
  await expect(toLight).toBeVisible()
  expect(await background()).toBe(dark)
  await toLight.click()
  await expect.poll(background).toBe(light)
  await page.emulateMedia({ colorScheme: 'dark' })
  await expect(toLight).toBeVisible()
  await expect.poll(background).toBe(dark)
})

test('pages that the sidebar does not offer are also refused by the server [core-2.4-15]', async ({ pageOf }) => {
  const { deviceId } = demoDevices.livelyLight
  for (const [email, status] of [
    ['boiler@northgate.example', 403],
    ['lighting@northgate.example', 200],
  ] as const) {
    const page = await pageOf(email)
    expect((await ask(page, getEmered, { body: { tenant: 'northgate', deviceId } })).status).toBe(status)
  }
})
