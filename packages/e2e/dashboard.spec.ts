import type { Locator, Page } from '@playwright/test'
import { fetchViewData, getTenantDashboardData } from '@caretaker/contract/devices.ts'
import type { DashboardData, ViewData } from '@caretaker/contract/devices.ts'
import type { DeviceSummary } from '@caretaker/rules/devices/status.ts'
import { ask } from './fixtures/api.ts'
import { newClient } from './fixtures/client.ts'
import { addDevice } from './fixtures/operator.ts'
import { hold, rows } from './fixtures/portal.ts'
import { consoleText, expect, test } from './fixtures/test.ts'

const widget = (page: Page, title: string): Locator => page.getByRole('region', { name: title })
const figure = (count: number) => count.toLocaleString('en-GB')
const widgets = [
  { title: 'Emergency lights', family: 'emered', listing: 'EmergencyLights' },
  { title: 'Boilers', family: 'boiler', listing: 'Boilers' },
  { title: 'Gateways', family: 'gateway', listing: 'NetworkingDevices' },
] as const

/** What a widget says in figures, from the top. */
function expectCounts(card: Locator, counts: DeviceSummary) {
  return Promise.all([
    expect(card.locator('header')).toContainText(figure(counts.total)),
    expect(card.getByRole('listitem')).toHaveText([/^Passed/, /^Warning/, /^Failed/]),
    expect(card.locator('li b')).toHaveText([counts.pass, counts.warn, counts.fail].map(figure)),
    expect(card.locator('footer b')).toHaveText([counts.installed, counts.inventory].map(figure)),
  ])
}

test('every widget shows the counts of its family, as the server and the listings count them [dev-2dash-2]', async ({
  pageOf,
}) => {
  // Nothing lives in this client but its storied gateway, so its counts stand still.
  const page = await pageOf('manager@meridian.example')
  await page.goto('/meridian/Dashboard')
  await expect(widget(page, 'Gateways').locator('footer')).toBeVisible()
  const { data } = await ask(page, getTenantDashboardData, { body: { tenant: 'meridian' } })
  for (const { title, family, listing } of widgets) {
    const counts = (data as DashboardData)[family]
    expect(counts.total).toBeGreaterThan(0)
    await expectCounts(widget(page, title), counts)
    const listed = await ask(page, fetchViewData, { body: { tenant: 'meridian', listing } })
    const { total } = listed.data as ViewData
    // The boiler listing shows more than boilers.
    if (family === 'boiler') expect(total).toBeGreaterThan(counts.total)
    else expect(total).toBe(counts.total)
  }
})

test('the titles lead to the listings of those who may read the area [dev-2dash-8]', async ({ pageOf }) => {
  const page = await pageOf('guest@northgate.example')
  for (const { title, listing } of widgets) {
    await page.goto('/northgate/Dashboard')
    const link = widget(page, title).getByRole('link', { name: title })
    await expect(link).toHaveAttribute('href', `/northgate/${listing}`)
    await link.click()
    await expect(page).toHaveURL(`/northgate/${listing}`)
    await expect(rows(page)).not.toHaveCount(0)
  }
})

for (const [email, title, others] of [
  ['boiler@northgate.example', 'Emergency lights', ['Boilers', 'Gateways']],
  ['lighting@northgate.example', 'Boilers', ['Emergency lights', 'Gateways']],
] as const)
  test(`to ${email} the title ${title} is plain text, its counts are there [dev-2dash-2 dev-2dash-9]`, async ({
    pageOf,
  }) => {
    const page = await pageOf(email)
    await page.goto('/northgate/Dashboard')
    await expect(widget(page, title).getByRole('heading', { name: title })).toBeVisible()
    await expect(widget(page, title).locator('footer')).toHaveText(/Installed [\d,]+/)
    await expect(widget(page, title).getByRole('link')).toHaveCount(0)
    for (const other of others) await expect(widget(page, other).getByRole('link', { name: other })).toBeVisible()
  })

test('while the counts load the widgets keep their places, and a failure can be tried again', async ({
  pageOf,
  expectedErrors,
}) => {
  expectedErrors.push(consoleText(500))
  const page = await pageOf('guest@northgate.example')
  const release = await hold(page, '**/api/GetTenantDashboardData')
  await page.goto('/northgate/Dashboard')
  for (const { title } of widgets) await expect(widget(page, title).getByRole('status')).toBeAttached()
  await page.unroute('**/api/GetTenantDashboardData')
  release()
  await expect(widget(page, 'Boilers').locator('footer')).toBeVisible()
  await page.route('**/api/GetTenantDashboardData', (route) => route.fulfill({ status: 500, json: {} }))
  await page.reload()
  await expect(page.getByText('Failed to Load')).toBeVisible()
  await page.unroute('**/api/GetTenantDashboardData')
  await page.getByRole('button', { name: 'Retry' }).click()
  await expect(widget(page, 'Boilers').locator('footer')).toBeVisible()
})

test('a new client counts nothing, then each device by the group of its status, without a reload [core-4.1-20 dev-2dash-2]', async ({
  page,
}) => {
  await page.clock.install()
  const { tenant } = await newClient(page, 'Beacon Lettings')
  await expect(page).toHaveURL(`/${tenant}/Dashboard`)
  await expect(page.getByText('No device is installed yet.')).toBeVisible()
  const nothing = { total: 0, pass: 0, warn: 0, fail: 0, installed: 0, inventory: 0 }
  for (const { title } of widgets) await expectCounts(widget(page, title), nothing)

  const statuses = ['Ok', 'Installed', 'FailedEquipment', 'FailedDevice', 'Inventory']
  await Promise.all(statuses.map((status) => addDevice(tenant, '--product', 'EM', '--status', status)))
  await page.clock.runFor(10_000)
  const five = { total: 5, pass: 1, warn: 1, fail: 2, installed: 4, inventory: 1 }
  await expectCounts(widget(page, 'Emergency lights'), five)
  for (const title of ['Boilers', 'Gateways']) await expectCounts(widget(page, title), nothing)
  await expect(page.getByText('3 things to look at; 1 of 4 installed devices are fine.')).toBeVisible()
})
