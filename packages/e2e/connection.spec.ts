import type { Page } from '@playwright/test'
import { demoDevices } from '@caretaker/demo/fixtures.ts'
import { addTagToDevice } from '@caretaker/contract/actions.ts'
import { tenantCreateTag } from '@caretaker/contract/tags.ts'
import { ask } from './fixtures/api.ts'
import { newClient } from './fixtures/client.ts'
import { rowOf, toast } from './fixtures/lists.ts'
import { addDevices } from './fixtures/operator.ts'
import { rowIds, rows } from './fixtures/portal.ts'
import { expect, test } from './fixtures/test.ts'

// The operator's command takes a while to create a client.
test.describe.configure({ timeout: 120_000 })

const bar = (page: Page) => page.getByText(/^Connection lost\. What you see is from \d\d\/\d\d\/\d{4} \d\d:\d\d/)
const disconnected = 'net::ERR_INTERNET_DISCONNECTED'
const sortOf = (page: Page, column: string) => page.getByRole('columnheader', { name: column })

test('a lost connection is shown within five seconds, and missed changes appear when it returns', async ({
  page,
  expectedErrors,
}) => {
  expectedErrors.push(disconnected)
  const { tenant } = await newClient(page, 'Distant Lettings')
  const [device] = await addDevices(tenant, 3, '--product', 'EM')
  const tag = (await ask(page, tenantCreateTag, { body: { tenant, name: 'Meanwhile' } })).data as { id: string }
  await page.goto(`/${tenant}/EmergencyLights?columns=serial,tags`)
  await expect(rows(page)).toHaveCount(3)
  await page.evaluate(() => document.documentElement.setAttribute('data-kept', ''))
  await page.context().setOffline(true)
  await expect(bar(page)).toBeVisible({ timeout: 5_000 })
  // Direct calls do not use the page's connection.
  await ask(page, addTagToDevice, { body: { tenant, deviceId: device!.deviceId, tagId: tag.id } })
  await expect(rowOf(page, device!.serial)).not.toContainText('Meanwhile')
  await page.context().setOffline(false)
  await expect(bar(page)).toHaveCount(0, { timeout: 5_000 })
  await expect(rowOf(page, device!.serial)).toContainText('Meanwhile', { timeout: 5_000 })
  await expect(page.locator('html[data-kept]')).toHaveCount(1)
})

test('no arrow, chip or search claims something that was not done', async ({ pageOf, expectedErrors }) => {
  expectedErrors.push(disconnected)
  const page = await pageOf('manager@northgate.example')
  await page.goto('/northgate/EmergencyLights')
  await expect(rows(page)).not.toHaveCount(0)
  const before = await rowIds(page)
  const arrow = sortOf(page, 'Name')
  const unsorted = await arrow.getAttribute('aria-sort')
  const { href } = new URL(page.url())
  const undone = async () => {
    await expect(toast(page, 'The list was not updated: the server cannot be reached.').last()).toBeVisible()
    await expect(page).toHaveURL(href)
    expect(await rowIds(page)).toEqual(before)
  }
  await page.context().setOffline(true)
  await arrow.getByRole('button').first().click()
  await undone()
  expect(await arrow.getAttribute('aria-sort')).toBe(unsorted)
  const search = page.getByRole('searchbox', { name: 'Search this view' })
  await search.fill('stair')
  await undone()
  await expect(search).toHaveValue('')
  await page.getByRole('button', { name: 'Next page' }).click()
  await undone()
  await page.context().setOffline(false)
  await expect(bar(page)).toHaveCount(0, { timeout: 5_000 })
  await arrow.getByRole('button').first().click()
  await expect(arrow).not.toHaveAttribute('aria-sort', unsorted ?? 'none')
})

test('a device page keeps its data while offline, shows their time, and updates by itself', async ({
  pageOf,
  expectedErrors,
}) => {
  expectedErrors.push(disconnected)
  const page = await pageOf('guest@northgate.example')
  await page.goto(`/northgate/EmergencyLights/${demoDevices.livelyLight.deviceId}`)
  await expect(page.getByRole('heading', { level: 1 })).toHaveText(demoDevices.livelyLight.name)
  await expect(page.getByRole('region', { name: 'Emergency equipment' })).toBeVisible()
  // The page is complete, including the charts.
  await expect(page.locator('canvas')).not.toHaveCount(0)
  await page.context().setOffline(true)
  await expect(bar(page)).toBeVisible({ timeout: 5_000 })
  await expect(page.getByRole('main').getByText('Failed to Load')).toHaveCount(0)
  await expect(page.getByRole('region', { name: 'Emergency equipment' })).toBeVisible()
  const response = page.waitForResponse('**/api/GetEmered')
  await page.context().setOffline(false)
  expect((await response).status()).toBe(200)
  await expect(bar(page)).toHaveCount(0)
})

test('a single failed call is not a lost connection', async ({ pageOf, expectedErrors }) => {
  expectedErrors.push('net::ERR_FAILED')
  const page = await pageOf('manager@northgate.example')
  let cut = 0
  await page.route('**/api/ShouldUpdateView', (route) => (cut++, route.abort()))
  await page.goto('/northgate/EmergencyLights')
  await expect(rows(page)).not.toHaveCount(0)
  const probe = page.waitForResponse('**/readyz')
  await expect.poll(() => cut, { timeout: 20_000 }).toBeGreaterThan(0)
  expect((await probe).status()).toBe(200)
  await expect(bar(page)).toHaveCount(0)
})
