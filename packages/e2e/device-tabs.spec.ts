import type { Page } from '@playwright/test'
import { demoDevices } from '@caretaker/demo/fixtures.ts'
import { expect, test } from './fixtures/test.ts'

const tabs = (page: Page) => page.getByRole('navigation', { name: 'Sections of this page' }).getByRole('link')
const head = (page: Page) => page.getByRole('main').locator('header').first()

const all = {
  Boilers: {
    device: demoDevices.livelyBoiler,
    tabs: ['Info', 'Fault History', 'History', 'Maintenance', 'Telemetry', 'Compliance', 'Connected Devices'],
  },
  EmergencyLights: {
    device: demoDevices.livelyLight,
    tabs: ['Info', 'Test Results', 'Test Schedules', 'History', 'Maintenance'],
  },
  NetworkingDevices: { device: demoDevices.livelyGateway, tabs: ['Info'] },
}

test('each tab has its own address, the tabs stay in sight, and a phone shows the current one [dev-2detail-2]', async ({
  pageOf,
}) => {
  const page = await pageOf('dev@caretaker.example', { viewport: { width: 390, height: 700 } })
  const { device } = all.EmergencyLights
  await page.goto(`/northgate/EmergencyLights/${device.deviceId}/TESTRESULTS`)
  await expect(page.getByRole('table', { name: 'Test results' })).toBeVisible()
  const active = tabs(page).and(page.locator('[aria-current]'))
  await expect(active).toHaveText(/^Test Results/)
  await expect(active).toBeInViewport({ ratio: 1 })
  await page.mouse.wheel(0, 400)
  await expect(page.getByRole('heading', { level: 1 })).not.toBeInViewport()
  await expect(active).toBeInViewport({ ratio: 1 })
  await page.goto(`/northgate/EmergencyLights/${device.deviceId}/messages`)
  await expect(active).toHaveText('Messages')
  await expect(active).toBeInViewport({ ratio: 1 })
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390)
  await page.goto(`/northgate/EmergencyLights/${device.deviceId}/nothing`)
  await expect(page.getByRole('main').getByText('Not found.', { exact: true })).toBeVisible()
})

test('going back from a device restores the listing as it was: view, filters, scroll position and selection [dev-2detail-25]', async ({
  pageOf,
}) => {
  const page = await pageOf('manager@northgate.example')
  const view = '/northgate/EmergencyLights/Listing/emered-installed?search=Stair'
  await page.goto(view)
  const all = page.locator('tbody tr[data-row]')
  await all.nth(0).getByRole('checkbox').check()
  await all.nth(1).getByRole('checkbox').check()
  const row = all.last()
  const name = await row.locator('[data-row-link]').innerText()
  await row.scrollIntoViewIfNeeded()
  const scrolled = () =>
    row.evaluate((element) => {
      const at = (one: Element | null): number => (one ? one.scrollTop + at(one.parentElement) : 0)
      return at(element)
    })
  const before = await scrolled()
  expect(before).toBeGreaterThan(0)
  await row.locator('[data-row-link]').click()
  await expect(page.getByRole('heading', { level: 1 })).toContainText(name)
  await tabs(page).filter({ hasText: 'Maintenance' }).click()
  await expect(page).toHaveURL(/\/maintenance$/)
  await head(page).getByRole('link', { name: 'Emergency Lights', exact: true }).click()
  await expect(page).toHaveURL(view)
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Emergency Lights')
  await expect.poll(scrolled).toBe(before)
  await expect(all.getByRole('checkbox', { checked: true })).toHaveCount(2)
})
