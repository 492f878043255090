import type { Page } from '@playwright/test'
import { demoDevices } from '@caretaker/demo/fixtures.ts'
import { findings, ofColours } from './fixtures/axe.ts'
import { dashboard, loginButton } from './fixtures/portal.ts'
import { expect, test } from './fixtures/test.ts'

// Five whole pages as the server sends them. All screens of the portal are looked at in packages/web/src/accessibility.

const manager = 'manager@northgate.example'
const phone = { width: 390, height: 844 }
const narrow = { width: 320, height: 640 }
const { livelyLight, boilerLockout } = demoDevices

interface Whole {
  name: string
  /** Who looks at it; nobody is signed in without. */
  email?: string
  address: string
  /** Goes on from the address to the page, if need be. */
  open?(page: Page): Promise<void>
  /** Waits until it is all there. */
  ready(page: Page): Promise<void>
}

const pages: Whole[] = [
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

/** What is wider than a small window, so that the page would have to be scrolled sideways to be read. */
async function sideways(page: Page): Promise<string[]> {
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
  test(`${name}: accessible in light, in dark, on a phone and at 320 px, where it fits`, async ({ page, pageOf }) => {
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
    await expect.soft.poll(() => sideways(tab), 'at 320 px').toEqual([])
    const dark = await background(tab)
    await tab.emulateMedia({ colorScheme: 'light' })
    await expect.poll(() => background(tab)).not.toBe(dark)
    expect.soft(await findings(tab), 'at 320 px in light').toEqual([])
  })
