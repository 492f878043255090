import type { Page } from '@playwright/test'
import { demoDevices } from '@caretaker/demo/fixtures.ts'
import { findings, ofColours } from './fixtures/axe.ts'
import { dashboard, loginButton } from './fixtures/portal.ts'
import { expect, test } from './fixtures/test.ts'

// Checks five whole pages from the server. packages/web/src/accessibility checks all screens of the portal.

const manager = 'manager@northgate.example'
const phone = { width: 390, height: 844 }
const narrow = { width: 320, height: 640 }
const { livelyLight, boilerLockout } = demoDevices

interface WholePage {
  name: string
  /** The signed-in user; if omitted, the page is opened without a sign-in. */
  email?: string
  address: string
  /** Continues from the address to the page, if needed. */
  open?(page: Page): Promise<void>
  /** Waits until the page is complete. */
  ready(page: Page): Promise<void>
}

const pages: WholePage[] = [
  {
    name: "the provider's sign-in page",
    address: '/',
    open: (page) => loginButton(page).click(),
    ready: (page) => expect(page.getByRole('button', { name: 'Sign in' })).toBeVisible(),
  },
  {
    name: "the provider's page for people who forgot their password",
    address: '/account/password',
    ready: (page) => expect(page.getByRole('button', { name: 'Send link' })).toBeVisible(),
  },
  {
    name: 'dashboard',
    email: manager,
    address: '/northgate/Dashboard',
    ready: async (page) => {
      await expect(dashboard(page)).toBeVisible()
      await expect(page.getByRole('region', { name: 'Heating devices', exact: true }).locator('footer')).toBeVisible()
    },
  },
  {
    name: 'boiler',
    email: manager,
    address: `/northgate/Boilers/${boilerLockout.deviceId}`,
    ready: async (page) => {
      await expect(page.getByRole('region', { name: 'Right now', exact: true })).toContainText('bar')
      await expect(page.getByRole('region', { name: 'Compliance', exact: true })).toContainText('Gas safety')
    },
  },
  {
    name: 'floor plan',
    email: manager,
    address: `/northgate/FloorPlan?deviceId=${livelyLight.deviceId}`,
    ready: (page) => expect(page.getByRole('region', { name: livelyLight.name, exact: true })).toBeVisible(),
  },
]

/** The elements that are wider than a small window and would force horizontal scrolling. */
async function widerThanViewport(page: Page): Promise<string[]> {
  await page.setViewportSize(narrow)
  return page.evaluate(() => {
    const root = document.documentElement
    if (root.scrollWidth <= root.clientWidth) return []
    const wide = [...document.body.querySelectorAll('*')].filter(
      (element) => element.getBoundingClientRect().right > root.clientWidth + 0.5,
    )
    return [`${root.scrollWidth} px`, ...wide.slice(0, 5).map((element) => element.outerHTML.slice(0, 120))]
  })
}

const background = (page: Page) => page.evaluate(() => getComputedStyle(document.body).backgroundColor)

for (const { name, email, address, open, ready } of pages)
  test(`${name} is accessible in light and dark mode and on a phone, and fits 320 px`, async ({ page, pageOf }) => {
    const tab = email ? await pageOf(email) : page
    await tab.emulateMedia({ colorScheme: 'light' })
    await tab.goto(address)
    await open?.(tab)
    await ready(tab)
    const light = await background(tab)
    expect.soft(await findings(tab), 'light').toEqual([])
    await tab.emulateMedia({ colorScheme: 'dark' })
    await expect.poll(() => background(tab)).not.toBe(light)
    expect.soft(await findings(tab, { rules: ofColours }), 'dark').toEqual([])
    await tab.setViewportSize(phone)
    await ready(tab)
    expect.soft(await findings(tab), 'on a phone').toEqual([])
    await expect.soft.poll(() => widerThanViewport(tab), 'at 320 px').toEqual([])
    const dark = await background(tab)
    await tab.emulateMedia({ colorScheme: 'light' })
    await expect.poll(() => background(tab)).not.toBe(dark)
    expect.soft(await findings(tab), 'at 320 px in light').toEqual([])
  })
