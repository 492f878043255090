import { AxeBuilder } from '@axe-core/playwright'
import type { Page } from '@playwright/test'
import { demoDevices } from '@caretaker/contract/demo.ts'
import type { ViewData } from '@caretaker/contract/devices.ts'
import { bend, clientSelection, dashboard, loginButton, rows, welcome } from './fixtures/portal.ts'
import { expect, test } from './fixtures/test.ts'

// Looking is independent of the order, and takes the longest of all.
test.describe.configure({ mode: 'parallel', timeout: 120_000 })

const manager = 'manager@northgate.example'
const boiler = 'boiler@northgate.example'
const tags = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa']
const desktop = { width: 1440, height: 960 }
const phone = { width: 390, height: 844 }
const narrow = { width: 320, height: 640 }

const heading = (page: Page) => page.getByRole('heading', { level: 1 })
const device = (area: string, { deviceId }: { deviceId: string }) => `/northgate/${area}/${deviceId}`

interface Screen {
  name: string
  /** Who looks at it; nobody is signed in without. */
  email?: string
  address: string
  /** Goes on from the address to the screen, if need be, and waits until it is all there. */
  ready(page: Page): Promise<void>
}

const charts = async (page: Page) => {
  await expect(page.locator('canvas')).not.toHaveCount(0)
  await expect(page.getByText(/^Loading/)).toHaveCount(0)
}
const listing = (page: Page) => expect(rows(page)).not.toHaveCount(0)

const screens: Screen[] = [
  { name: 'welcome', address: '/', ready: (page) => expect(welcome(page)).toBeVisible() },
  {
    name: "the provider's sign-in page",
    address: '/',
    ready: async (page) => {
      if (await loginButton(page).isVisible()) await loginButton(page).click()
      await expect(page.getByRole('button', { name: 'Sign in' })).toBeVisible()
    },
  },
  {
    name: 'client selection',
    email: 'contractor@multi.example',
    address: '/',
    ready: async (page) => {
      await expect(clientSelection(page)).toBeVisible()
      await expect(page.getByRole('list', { name: 'Clients' })).toBeVisible()
    },
  },
  {
    name: 'dashboard',
    email: manager,
    address: '/northgate/Dashboard',
    ready: async (page) => {
      await expect(dashboard(page)).toBeVisible()
      await expect(page.getByRole('region', { name: 'Boilers' }).locator('footer')).toBeVisible()
    },
  },
  { name: 'emergency lights', email: manager, address: '/northgate/EmergencyLights', ready: listing },
  { name: 'boilers', email: manager, address: '/northgate/Boilers', ready: listing },
  { name: 'networking devices', email: manager, address: '/northgate/NetworkingDevices', ready: listing },
  {
    name: 'emergency light',
    email: manager,
    address: device('EmergencyLights', demoDevices.livelyLight),
    ready: async (page) => {
      await charts(page)
      await expect(page.getByRole('table', { name: 'Test results' })).toBeVisible()
    },
  },
  { name: 'boiler', email: manager, address: device('Boilers', demoDevices.boilerLockout), ready: charts },
  { name: 'gateway', email: manager, address: device('NetworkingDevices', demoDevices.offlineGateway), ready: charts },
  {
    name: 'not found',
    email: manager,
    address: '/northgate/Nothing',
    ready: (page) => expect(page.getByText('Not found.')).toBeVisible(),
  },
  {
    name: 'refused',
    email: boiler,
    address: '/northgate/EmergencyLights',
    ready: (page) => expect(page.getByText("You don't have permission.")).toBeVisible(),
  },
  {
    name: 'error page',
    email: manager,
    address: '/northgate/Error',
    ready: (page) => expect(heading(page)).toContainText('Woops'),
  },
  { name: 'API page', address: '/api/docs', ready: (page) => expect(heading(page)).toHaveText('Caretaker API') },
]

/** What axe finds, in words that say where. Calls of the API page are alike: the first few stand for all. */
async function findings(page: Page): Promise<string[]> {
  const { violations } = await new AxeBuilder({ page }).withTags(tags).exclude('section:nth-of-type(n+12)').analyze()
  return violations.flatMap(({ id, nodes }) => nodes.map((node) => `${id}: ${node.target.join(' ')} ${node.html}`))
}

for (const { name, email, address, ready } of screens)
  test(`${name} is accessible in light and dark and on a phone, and holds at 320 px`, async ({ page, pageOf }) => {
    const tab = email ? await pageOf(email) : page
    // So are the rows of a listing.
    await bend(tab, '**/api/FetchViewData', ({ data }: { data: ViewData }) => data.rows.splice(8))
    await tab.emulateMedia({ colorScheme: 'light', reducedMotion: 'reduce' })
    await tab.goto(address)
    await ready(tab)
    expect(await findings(tab), 'light').toEqual([])
    await tab.emulateMedia({ colorScheme: 'dark' })
    await ready(tab)
    expect(await findings(tab), 'dark').toEqual([])
    await tab.setViewportSize(phone)
    await ready(tab)
    expect(await findings(tab), 'on a phone, dark').toEqual([])
    await tab.setViewportSize(narrow)
    await ready(tab)
    const width = () => tab.evaluate(() => document.documentElement.scrollWidth)
    await expect.poll(width).toBeLessThanOrEqual(narrow.width)
    await tab.setViewportSize(desktop)
  })

test('the drawer of a phone and the menu of a desktop are accessible while they are open', async ({ pageOf }) => {
  const page = await pageOf('contractor@multi.example', { reducedMotion: 'reduce' })
  await page.goto('/northgate/Dashboard')
  await page.getByRole('button', { name: /Logged in as/ }).click()
  await expect(page.getByRole('menuitem', { name: 'Logout' })).toBeVisible()
  expect(await findings(page)).toEqual([])
  await page.keyboard.press('Escape')
  await page.setViewportSize(phone)
  await page.getByRole('button', { name: 'Menu', exact: true }).click()
  await expect(page.getByRole('dialog', { name: 'Menu' })).toBeVisible()
  expect(await findings(page)).toEqual([])
})
