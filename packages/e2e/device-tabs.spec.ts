import type { Page } from '@playwright/test'
import { demoDevices } from '@caretaker/demo/fixtures.ts'
import { bend, turnFeatures } from './fixtures/portal.ts'
import { consoleText, expect, test } from './fixtures/test.ts'

const tabs = (page: Page) => page.getByRole('navigation', { name: 'Sections of this page' }).getByRole('link')
const head = (page: Page) => page.getByRole('main').locator('header').first()
/** What the tabs are called, without the figure that one may bear. */
const labels = async (page: Page) => (await tabs(page).allInnerTexts()).map((text) => text.replace(/\s*\d+$/, ''))

const developerTabs = ['Debug', 'Messages']
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
type Area = keyof typeof all
const areas = Object.keys(all) as Area[]

interface Person {
  email: string
  areas?: Area[]
  hidden: string[]
  /** What is tried by its address, of what is hidden. */
  refused?: Partial<Record<Area, string[]>>
}

/** Who sees which tabs of which pages: all that are not named. */
const people: Person[] = [
  { email: 'dev@caretaker.example', hidden: [] },
  { email: 'manager@northgate.example', hidden: developerTabs, refused: { EmergencyLights: developerTabs } },
  {
    email: 'guest@northgate.example',
    hidden: ['History', ...developerTabs],
    refused: {
      Boilers: ['History', ...developerTabs],
      EmergencyLights: ['History', ...developerTabs],
      NetworkingDevices: developerTabs,
    },
  },
  {
    email: 'limited@northgate.example',
    areas: ['EmergencyLights', 'NetworkingDevices'],
    hidden: ['Test Schedules', 'History', ...developerTabs],
    refused: { EmergencyLights: ['Test Schedules', 'History'] },
  },
  {
    email: 'boiler@northgate.example',
    areas: ['Boilers', 'NetworkingDevices'],
    hidden: developerTabs,
    refused: { Boilers: developerTabs, NetworkingDevices: ['Messages'] },
  },
  {
    email: 'lighting@northgate.example',
    areas: ['EmergencyLights', 'NetworkingDevices'],
    hidden: developerTabs,
    refused: { EmergencyLights: developerTabs, NetworkingDevices: ['Debug'] },
  },
]

test('each page shows exactly the tabs that a person may see, and what is hidden is refused by its address [dev-2detail-1 dev-2detail-2 dev-2detail-3 dev-2detail-4 dev-2detail-5 dev-2detail-6 dev-2detail-7 dev-2detail-8 dev-2detail-10 dev-2detail-11 dev-2detail-12 dev-2detail-13 dev-2detail-15 dev-2detail-16 dev-2detail-17 dev-2detail-18 dev-2detail-19 dev-2detail-20 dev-2detail-21 dev-2detail-22 dev-2detail-23 core-6-24 core-6-26 dev-6other-13]', async ({
  pageOf,
}) => {
  test.setTimeout(120_000)
  for (const { email, areas: seen = areas, hidden, refused = {} } of people) {
    const page = await pageOf(email)
    for (const area of seen) {
      const { device, tabs: known } = all[area]
      const address = `/northgate/${area}/${device.deviceId}`
      await page.goto(address)
      await expect(page.getByRole('heading', { level: 1 })).toHaveText(device.name)
      const expected = [...known, ...developerTabs].filter((tab) => !hidden.includes(tab))
      await expect.poll(() => labels(page), { message: `${email} ${area}` }).toEqual(expected)
      // What is hidden is not there by its address either.
      for (const name of refused[area] ?? []) {
        await page.goto(`${address}/${name.replace(' ', '').toLowerCase()}`)
        const text = page.getByRole('main').getByText("You don't have permission.")
        await expect(text, `${email} ${area} ${name}`).toBeVisible()
      }
    }
  }
})

test('HideTelemetryTab takes the Telemetry tab from all but developers, also by its address [dev-2detail-9]', async ({
  pageOf,
}) => {
  const { device, tabs: known } = all.Boilers
  const address = `/northgate/Boilers/${device.deviceId}`
  for (const [email, hidden, more] of [
    ['manager@northgate.example', ['Telemetry'], []],
    ['dev@caretaker.example', [], developerTabs],
  ] as const) {
    const page = await pageOf(email)
    await turnFeatures(page, { HideTelemetryTab: true })
    await page.goto(address)
    await expect(page.getByRole('heading', { level: 1 })).toHaveText(device.name)
    const expected = [...known, ...more].filter((tab) => !(hidden as readonly string[]).includes(tab))
    await expect.poll(() => labels(page)).toEqual(expected)
    await page.goto(`${address}/telemetry`)
    const refused = page.getByRole('main').getByText("You don't have permission.")
    await expect(tabs(page).first()).toBeVisible()
    await expect(refused).toHaveCount(hidden.length)
  }
})

test('each tab has an address of its own, the tabs stay in sight, and on a phone the one that is shown is [dev-2detail-2]', async ({
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

test('the way back from a device restores the listing as it was left: view, filters, scroll and selection [dev-2detail-25]', async ({
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

test("'Go To Map' opens the floor plan with the device chosen, where it has a place there and is of no restricted type [dev-2detail-26 dev-2detail-27 dev-2detail-28]", async ({
  pageOf,
}) => {
  const page = await pageOf('manager@northgate.example')
  const { livelyLight, inWholesale } = demoDevices
  const button = head(page).getByRole('link', { name: 'Go To Map' })
  const address = `/northgate/EmergencyLights/${livelyLight.deviceId}`
  await page.goto(address)
  await expect(page.getByRole('heading', { level: 1 })).toHaveText(livelyLight.name)
  await button.click()
  await expect(page).toHaveURL(new RegExp(`/northgate/FloorPlan\\?deviceId=${livelyLight.deviceId}`))
  await expect(page.getByRole('heading', { level: 1 })).toContainText('Floor Plan')
  const chosen = page.getByRole('region', { name: livelyLight.name, exact: true })
  await expect(chosen).toContainText(livelyLight.serial)
  // One that was never installed is nowhere.
  await page.goto(`/northgate/EmergencyLights/${inWholesale.deviceId}`)
  await expect(head(page)).toContainText(inWholesale.serial)
  await expect(button).toHaveCount(0)
  await bend(page, '**/api/GetEmered', ({ data }: { data: { productId: string } }) => {
    data.productId = 'ADEY'
  })
  await page.goto(address)
  await expect(head(page)).toContainText(livelyLight.serial)
  await expect(button).toHaveCount(0)
  // Nothing of a restricted type is edited either.
  await expect(page.getByRole('main').getByRole('button', { name: /^Edit / })).toHaveCount(0)
})

test("the head leads to the property of a device where 'PropertyCentric' is on, and hides its address where personal data is hidden [dev-2detail-32 dev-2detail-33 core-5-33] [est-2.3-19] [est-2.3-20]", async ({
  pageOf,
}) => {
  const page = await pageOf('manager@northgate.example')
  const { deviceId } = demoDevices.livelyBoiler
  const link = head(page).getByRole('link', { name: 'Navigate to property page' })
  const town = head(page).getByText(/Leeds/)
  const answered = page.waitForResponse('**/api/GetBoiler')
  await turnFeatures(page, { PropertyCentric: true })
  await page.goto(`/northgate/Boilers/${deviceId}`)
  const { data } = (await (await answered).json()) as { data: { propertyId: string } }
  await expect(link).toHaveAttribute('href', `/northgate/Properties/${data.propertyId}/info`)
  await expect(town).toBeVisible()
  await page.unrouteAll()
  await turnFeatures(page, { PropertyCentric: false, HideCustomerPersonalData: true })
  await page.goto(`/northgate/Boilers/${deviceId}`)
  await expect(head(page)).toContainText(demoDevices.livelyBoiler.serial)
  await expect(link).toHaveCount(0)
  await expect(town).toHaveCount(0)
})

test("details that do not load are a warning 'Failed to load device information!', and can be asked for again [dev-8err-22]", async ({
  pageOf,
  expectedErrors,
}) => {
  expectedErrors.push(consoleText(500))
  const page = await pageOf('manager@northgate.example')
  await page.route('**/api/GetNetworkingDevice', (route) => route.fulfill({ status: 500, json: {} }))
  await page.goto(`/northgate/NetworkingDevices/${demoDevices.livelyGateway.deviceId}`)
  await expect(page.getByText('Failed to load device information!')).toBeVisible()
  await page.unrouteAll()
  await page.getByRole('main').getByRole('button', { name: 'Retry' }).click()
  await expect(page.getByRole('heading', { level: 1 })).toHaveText(demoDevices.livelyGateway.name)
})
