import type { Page } from '@playwright/test'
import { demoDevices } from '@caretaker/demo/fixtures.ts'
import { exportListing } from '@caretaker/contract/devices.ts'
import { statusText } from '@caretaker/contract/error-texts.ts'
import { answer, lifeOf, toast } from './fixtures/lists.ts'
import { rows } from './fixtures/portal.ts'
import { consoleText, expect, test } from './fixtures/test.ts'

// How long things take to come and go is looked at.
test.use({ contextOptions: { reducedMotion: 'no-preference' } })

const manager = 'manager@northgate.example'
const toastClass = '.mantine-Notification-root'
const refusal = 'Not today'

/** A page on which pressing a button brings a toast. */
async function refusedTag(page: Page): Promise<() => Promise<void>> {
  await answer(page, 'POST', '**/api/TenantCreateTag', 200, {
    isSuccessful: false,
    data: null,
    reason: refusal,
    message: null,
  })
  await page.goto('/northgate/Settings/tags')
  await page.getByRole('button', { name: 'Add tag' }).click()
  const dialog = page.getByRole('dialog')
  let names = 0
  return async () => {
    // A refused name is not sent again.
    await dialog.getByLabel('Name').fill(`Another${++names}`)
    await dialog.getByRole('button', { name: 'Add' }).click()
  }
}

test('a toast slides in [core-4.4-15 est-2.7-8]', async ({ pageOf }) => {
  const page = await pageOf(manager)
  const press = await refusedTag(page)
  const sliding = page.evaluate(
    (selector) =>
      new Promise<string[]>((resolve) => {
        const look = () => {
          const shown = document.querySelector(selector)
          const moving = shown?.getAnimations().map((one) => (one as CSSTransition).transitionProperty) ?? []
          if (moving.length > 0) resolve(moving)
          else requestAnimationFrame(look)
        }
        look()
      }),
    toastClass,
  )
  await press()
  expect(await sliding).toContain('transform')
})

test('a toast goes by itself after four seconds [core-4.4-16 est-2.7-9]', async ({ pageOf }) => {
  const page = await pageOf(manager)
  const press = await refusedTag(page)
  const life = await lifeOf(page, toast(page, refusal), press)
  // With the time that it takes to go.
  expect(life).toBeGreaterThanOrEqual(4_450)
  expect(life).toBeLessThanOrEqual(4_650)
})

test('a toast takes about 550 ms to go [est-9-18]', async ({ pageOf }) => {
  const page = await pageOf(manager)
  const press = await refusedTag(page)
  const life = await lifeOf(page, toast(page, refusal), async () => {
    await press()
    await expect(toast(page, refusal)).toHaveCount(1)
    await page.clock.runFor(1_000)
    await toast(page, refusal).getByText(refusal).click()
  })
  expect(life).toBeGreaterThanOrEqual(475)
  expect(life).toBeLessThanOrEqual(600)
})

test('a toast that offers to undo goes after the same four seconds', async ({ pageOf }) => {
  const page = await pageOf(manager)
  const { deviceId } = demoDevices.untaggedLight
  await page.route(/\/api\/(Add|Remove)Tag(To|From)Device/, (route) =>
    route.fulfill({
      json: { isSuccessful: true, data: { tags: [], accessRightsTag: null }, reason: null, message: null },
    }),
  )
  await page.goto(`/northgate/EmergencyLights/${deviceId}`)
  await page.getByRole('button', { name: 'Add tag' }).click()
  const option = page.getByRole('option').first()
  await expect(option).toBeVisible()
  const offer = toast(page, 'Request Successful')
  const life = await lifeOf(page, offer, async () => {
    await option.click()
    await expect(offer.getByRole('button', { name: 'Undo' })).toHaveCount(1)
  })
  expect(life).toBeGreaterThanOrEqual(4_000)
  expect(life).toBeLessThanOrEqual(4_700)
})

test('a dialog takes 300 ms to go, in which nobody can press it [est-9-1]', async ({ pageOf }) => {
  const page = await pageOf(manager)
  await page.goto('/northgate/Settings/tags')
  await page.getByRole('button', { name: 'Add tag' }).click()
  await expect(page.getByRole('dialog')).toBeVisible()
  const leaving = page.locator('[data-leaving]')
  const life = await lifeOf(page, leaving, async () => {
    await page.keyboard.press('Escape')
    await expect(leaving).toHaveCount(1)
    await expect(page.getByRole('dialog')).toHaveCount(0)
    expect(await leaving.evaluate((one) => (one as HTMLElement).inert)).toBe(true)
    expect(await leaving.evaluate((one) => getComputedStyle(one).animationDuration)).toBe('0.3s')
  })
  expect(life).toBeGreaterThanOrEqual(225)
  expect(life).toBeLessThanOrEqual(325)
})

test('a toast is dismissed by a click, wherever on it [core-4.4-18 est-2.7-11]', async ({ pageOf }) => {
  const page = await pageOf(manager)
  const press = await refusedTag(page)
  await press()
  // Its time stands still: only the click can take it away.
  await toast(page, refusal).hover()
  await expect(toast(page, refusal)).toBeVisible()
  await page.clock.install()
  await page.clock.pauseAt(Date.now() + 60_000)
  await press()
  await page.clock.runFor(500)
  const before = await toast(page, refusal).count()
  expect(before).toBeGreaterThan(0)
  await toast(page, refusal).last().getByText(refusal).click()
  await page.clock.runFor(600)
  await expect(toast(page, refusal)).toHaveCount(before - 1)
})

test('a toast that asks for something stays until it is dismissed [core-4.4-17 est-2.7-10]', async ({
  pageOf,
  expectedErrors,
}) => {
  expectedErrors.push('net::ERR_FAILED', 'Failed to fetch dynamically imported module')
  const page = await pageOf(manager)
  await page.goto('/northgate/Dashboard')
  await expect(page.getByRole('heading', { name: 'What needs you today' })).toBeVisible()
  await page.route(/assets\/user-menu-/, (route) => route.abort())
  await page.getByRole('button', { name: /Logged in as/ }).click()
  const asking = toast(page, 'A part of Caretaker could not be loaded.')
  await expect(asking.first()).toBeVisible()
  await page.clock.install()
  await page.clock.fastForward(60_000)
  await expect(asking.first()).toBeVisible()
  await page.unrouteAll()
  await asking.first().getByRole('button', { name: 'Reload' }).click()
  await expect(page.getByRole('heading', { name: 'What needs you today' })).toBeVisible()
  await expect(asking).toHaveCount(0)
})

test('a success message is shown for two seconds [core-9-1 dev-9const-12]', async ({ pageOf }) => {
  const page = await pageOf(manager, { permissions: ['clipboard-read', 'clipboard-write'] })
  await page.goto('/northgate/Support')
  const copy = page.getByRole('button', { name: 'Copy the build information' })
  await expect(copy).toBeVisible()
  const life = await lifeOf(page, page.getByRole('status').filter({ hasText: 'Copied' }), () => copy.click())
  expect(life).toBeGreaterThanOrEqual(1_950)
  expect(life).toBeLessThan(2_300)
  expect(await page.evaluate(() => navigator.clipboard.readText())).toMatch(/^Build .+, commit .+, branch .+$/)
})

test('product names come from their call, whose failure is said [core-8-15]', async ({ pageOf, expectedErrors }) => {
  expectedErrors.push(consoleText(500))
  const page = await pageOf(manager)
  const device = `/northgate/EmergencyLights/${demoDevices.livelyLight.deviceId}`
  const text = 'An error occurred while fetching productNames.'
  await answer(page, 'GET', '**/api/devices/productnames', 200, { results: [{ productCode: 'EM', name: 'Glow worm' }] })
  await page.goto(device)
  await expect(page.getByRole('definition').getByText('Glow worm')).toBeVisible()
  await expect(toast(page, text)).toHaveCount(0)
  await page.unrouteAll()
  await answer(page, 'GET', '**/api/devices/productnames', 500)
  await page.reload()
  await expect(toast(page, text)).toBeVisible()
})

for (const [status, said] of [
  [500, statusText(500)],
  [503, statusText(503)],
] as const)
  test(`a failed call that says nothing itself shows '${said}' for ${status} [est-8-18]`, async ({
    pageOf,
    expectedErrors,
  }) => {
    expectedErrors.push(consoleText(status))
    const page = await pageOf(manager)
    await answer(page, 'POST', `**${exportListing.path}`, status)
    await page.goto('/northgate/EmergencyLights')
    await expect(rows(page)).toHaveCount(100)
    await page.getByRole('button', { name: 'Export' }).click()
    await page.getByRole('menuitem', { name: 'CSV' }).click()
    await expect(toast(page, said).and(page.getByRole('alert'))).toBeVisible()
    // What a server says itself stands before the words for its status.
    await page.unrouteAll()
    await answer(page, 'POST', `**${exportListing.path}`, status, { message: refusal })
    await page.getByRole('button', { name: 'Export' }).click()
    await page.getByRole('menuitem', { name: 'CSV' }).click()
    await expect(toast(page, refusal)).toBeVisible()
  })
