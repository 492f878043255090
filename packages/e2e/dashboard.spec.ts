import type { Locator, Page } from '@playwright/test'
import { fetchViewData } from '@caretaker/contract/devices.ts'
import type { ViewData } from '@caretaker/contract/devices.ts'
import { getTenantDashboardData } from '@caretaker/contract/dashboard.ts'
import type { DashboardData } from '@caretaker/contract/dashboard.ts'
import type { DeviceSummary } from '@caretaker/rules/devices/status.ts'
import { listings, presets } from '@caretaker/rules/devices/list.ts'
import { presetViewId } from '@caretaker/rules/views/view.ts'
import { ask } from './fixtures/api.ts'
import { newClient } from './fixtures/client.ts'
import { addDevice } from './fixtures/operator.ts'
import { rows } from './fixtures/portal.ts'
import { expect, test } from './fixtures/test.ts'

// These tests change the same demo rows, so they run one after the other.
test.describe.configure({ mode: 'default' })

const manager = 'manager@northgate.example'
const widget = (page: Page, title: string): Locator => page.getByRole('region', { name: title, exact: true })
const figure = (count: number) => count.toLocaleString('en-GB')

/** The counts of each device family's widget. */
const widgets: Record<string, (data: DashboardData) => DeviceSummary> = {
  'Emergency lights': (data) => data.listings.EmergencyLights,
  'Heating devices': (data) => data.listings.Boilers,
  'Air source heat pumps': (data) => data.monitoring.HeatPump,
  'Heat interface units': (data) => data.heatInterfaceUnit,
  Autofills: (data) => data.autofill,
  Gateways: (data) => data.gateway,
  'Multi-dots': (data) => data.multiDot,
  'Enviro-dots': (data) => data.enviroDot,
  'Power meters': (data) => data.powerMeter,
  'V-Stats': (data) => data.vStat,
  'API Integration': (data) => data.listings.ThirdParty,
}
const titles = Object.keys(widgets)

const countsOf = async (page: Page, tenant: string) =>
  (await ask(page, getTenantDashboardData, { body: { tenant } })).data as DashboardData

async function open(page: Page, tenant: string) {
  await page.goto(`/${tenant}/Dashboard`)
  await expect(widget(page, 'Gateways').locator('footer')).toBeVisible()
}

/** Returns to the dashboard from the target of a link. */
async function back(page: Page) {
  await page.goBack()
  await expect(widget(page, 'Gateways').locator('footer')).toBeVisible()
}

/** Checks the figures of a widget, from top to bottom. */
function expectCounts(card: Locator, counts: DeviceSummary, within?: { timeout: number }) {
  return Promise.all([
    expect(card.locator('header')).toContainText(figure(counts.total), within),
    expect(card.getByRole('listitem').filter({ hasText: /^(Passed|Warning|Failed)/ })).toHaveCount(3, within),
    expect(card.getByRole('listitem').filter({ hasText: /^Passed/ })).toContainText(figure(counts.pass), within),
    expect(card.getByRole('listitem').filter({ hasText: /^Warning/ })).toContainText(figure(counts.warn), within),
    expect(card.getByRole('listitem').filter({ hasText: /^Failed/ })).toContainText(figure(counts.fail), within),
    expect(card.locator('footer b')).toHaveText([counts.installed, counts.inventory].map(figure), within),
  ])
}

/** A family without devices is shown on one line. */
async function expectAbsent(page: Page, title: string) {
  await expect(widget(page, title)).toHaveText(`${title}0`)
  await expect(widget(page, title).getByRole('link')).toHaveCount(0)
}

/** A widget's figure that is a link. */
const link = (card: Locator, name: 'Installed' | 'Inventory' | 'Failed' | 'Warning') =>
  card.getByRole('link', { name: new RegExp(`^${name}`) })

test("a restricted user's counts match what the restricted lists show", async ({ pageOf }) => {
  const [page, everybody] = [await pageOf('limited@northgate.example'), await pageOf(manager)]
  for (const one of [page, everybody]) await open(one, 'northgate')
  let some!: DashboardData
  // Other tests may change the state of a device meanwhile.
  await expect(async () => {
    some = await countsOf(page, 'northgate')
    const all = await countsOf(everybody, 'northgate')
    expect(some.listings.EmergencyLights.total).toBeGreaterThan(0)
    for (const title of ['Emergency lights', 'Heating devices', 'Multi-dots']) {
      expect(widgets[title]!(some).total).toBeLessThan(widgets[title]!(all).total)
      await expectCounts(widget(page, title), widgets[title]!(some), { timeout: 2000 })
    }
  }).toPass({ timeout: 30_000 })
  await link(widget(page, 'Heating devices'), 'Installed').click()
  await expect(rows(page).first()).toBeVisible()
  await expect(
    page.getByText(`${figure(some.listings.Boilers.installed)} of ${figure(some.listings.Boilers.total)}`),
  ).toBeVisible()
})

test('the figures of emergency lights open the preset views, which show as many rows [dev-2dash-10 dev-2dash-11 dev-2dash-12 dev-2dash-13 dev-2dash-17]', async ({
  pageOf,
}) => {
  const page = await pageOf('manager@meridian.example')
  const [area, title] = ['EmergencyLights', 'Emergency lights'] as const
  await open(page, 'meridian')
  const counts = (await countsOf(page, 'meridian')).listings[area]
  expect(counts.installed).toBeGreaterThan(0)
  for (const [name, preset, count] of [
    ['Installed', 'installed', counts.installed],
    ['Inventory', 'inventory', counts.inventory],
    ['Failed', 'failed', counts.fail],
    ['Warning', 'warning', counts.warn],
  ] as const) {
    // A count of zero is not a link.
    if (count === 0) {
      await expect(link(widget(page, title), name)).toHaveCount(0)
      continue
    }
    await link(widget(page, title), name).click()
    await expect(page).toHaveURL(`/meridian/${area}/Listing/${presetViewId(listings[area], preset)}`)
    await expect(rows(page)).toHaveCount(Math.min(100, count))
    const { data } = await ask(page, fetchViewData, {
      body: { tenant: 'meridian', viewId: presetViewId(listings[area], preset) },
    })
    expect((data as ViewData).total, name).toBe(count)
    await back(page)
  }
  await widget(page, title).getByRole('link', { name: title, exact: true }).click()
  await expect(page).toHaveURL(new RegExp(`/meridian/${area}(/Listing/${presetViewId(listings[area], presets[0])})?$`))
  await expect(rows(page)).toHaveCount(Math.min(100, counts.total))
})

test('a new client counts nothing, then each device by the group of its status, without a reload [core-4.1-20 dev-2dash-2]', async ({
  page,
}) => {
  await page.clock.install()
  const { tenant } = await newClient(page, 'Beacon Lettings')
  await expect(page).toHaveURL(`/${tenant}/Dashboard`)
  await expect(page.getByText('No device is installed yet.')).toBeVisible()
  for (const title of titles) await expectAbsent(page, title)
  await expect(widget(page, 'Needs attention')).toContainText('0 Failed lights')
  // A count of zero is not a link.
  await expect(page.getByRole('main').getByRole('link')).toHaveCount(0)

  const statuses = ['Ok', 'Installed', 'FailedEquipment', 'FailedDevice', 'Inventory']
  await Promise.all(statuses.map((status) => addDevice(tenant, '--product', 'EM', '--status', status)))
  await page.clock.runFor(10_000)
  // An untested device does not count as passed.
  const five = { total: 5, pass: 0, warn: 2, fail: 2, installed: 4, inventory: 1 }
  await expectCounts(widget(page, 'Emergency lights'), five)
  for (const title of ['Heating devices', 'Gateways']) await expectAbsent(page, title)
  const [lights, boilers] = await Promise.all(
    ['Emergency lights', 'Heating devices'].map(async (title) => (await widget(page, title).boundingBox())!),
  )
  expect(boilers!.y).toBeGreaterThan(lights!.y + lights!.height)
  expect(boilers!.height).toBeLessThan(50)
  await expect(page.getByText('4 lights need attention.')).toBeVisible()
})
