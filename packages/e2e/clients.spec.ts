import type { Page } from '@playwright/test'
import { demoTenants } from '@caretaker/demo/fixtures.ts'
import { fetchViewData } from '@caretaker/contract/devices.ts'
import type { DeviceRow } from '@caretaker/contract/devices.ts'
import { ask, isCall } from './fixtures/api.ts'
import { caretaker } from './fixtures/operator.ts'
import { bend, clientSelection, dashboard, hold, rowIds, rows, userMenu } from './fixtures/portal.ts'
import { expect, test } from './fixtures/test.ts'

const contractor = 'contractor@multi.example'
const names = [demoTenants.harbour, demoTenants.meridian, demoTenants.northgate]
const clients = (page: Page) => page.getByRole('list', { name: 'Clients' }).getByRole('link')
const search = (page: Page) => page.getByRole('searchbox', { name: 'Search Client' })

/** A client that exists and that nobody belongs to. */
const stranger = `acme-${Date.now().toString(36)}`
test.beforeAll(async () => {
  await caretaker('tenant', 'add', '--id', stranger, '--name', 'Acme Housing')
})

test('somebody with several clients selects one from a list in the order of their names [core-2.1-5 core-2.2-1 core-2.2-2 core-2.2-5]', async ({
  pageOf,
}) => {
  const page = await pageOf(contractor)
  // Whatever order the server sends them in.
  await bend(page, '**/api/GetTenants', ({ data }: { data: unknown[] }) => data.reverse())
  await page.goto('/')
  await expect(clientSelection(page)).toBeVisible()
  await expect(search(page)).toBeVisible()
  await expect(page.getByPlaceholder('Search Client')).toBeVisible()
  await expect(clients(page)).toHaveText(names.map((name) => new RegExp(name)))
  await expect(page.getByRole('navigation', { name: 'Main' })).toHaveCount(0)
})

test('placeholder rows stand in for the clients while they load [core-2.2-6]', async ({ pageOf }) => {
  const page = await pageOf(contractor)
  const release = await hold(page, '**/api/GetTenants')
  await page.goto('/')
  await expect(clientSelection(page)).toBeVisible()
  await expect(page.getByRole('status').filter({ hasText: 'Loading clients' })).toBeVisible()
  await expect(clients(page)).toHaveCount(0)
  release()
  await expect(clients(page)).toHaveCount(3)
  await expect(page.getByText('Loading clients')).toHaveCount(0)
})

test('the search keeps the clients whose name contains it, in whatever case [core-2.2-3 core-2.2-4]', async ({
  pageOf,
}) => {
  const page = await pageOf(contractor)
  await page.goto('/')
  await expect(clients(page)).toHaveCount(3)
  await search(page).fill('GATE H')
  await expect(clients(page)).toHaveText([/Northgate Homes/])
  await search(page).fill('ri')
  await expect(clients(page)).toHaveText([/Meridian Council/])
  await search(page).fill('acme')
  await expect(clients(page)).toHaveCount(0)
  await expect(page.getByText('No client has this in its name.')).toBeVisible()
  await search(page).fill('')
  await expect(clients(page)).toHaveCount(3)
})

test('picking a client opens the current path in it [core-2.1-6 core-2.2-7 core-2.2-8]', async ({ pageOf }) => {
  const page = await pageOf(contractor)
  await page.goto('/Boilers?sort=-name')
  await clients(page).filter({ hasText: 'Northgate' }).click()
  await expect(page).toHaveURL('/northgate/Boilers?sort=-name')
  await expect(page.getByRole('heading', { name: 'BCMs' })).toBeVisible()
  await expect(page.getByRole('banner')).toContainText('Northgate Homes')
  await expect(rows(page)).not.toHaveCount(0)
})

test('clients can be searched and picked with the keyboard alone', async ({ pageOf }) => {
  const page = await pageOf(contractor)
  await page.goto('/')
  await expect(search(page)).toBeFocused()
  await page.keyboard.type('meri')
  await expect(clients(page)).toHaveCount(1)
  await page.keyboard.press('Enter')
  await expect(page).toHaveURL('/meridian/Dashboard')
})

test("a client of one's own in the address is selected without asking [core-2.2-9]", async ({ pageOf }) => {
  const page = await pageOf(contractor)
  await page.goto('/harbour/NetworkingDevices')
  await expect(page.getByRole('heading', { name: 'Networking Devices' })).toBeVisible()
  await expect(clientSelection(page)).toHaveCount(0)
  await expect(page.getByRole('banner')).toContainText('Harbour Facilities')
})

test("a client in the address that is not one's own is not selected, whether it exists or not [core-2.2-10]", async ({
  pageOf,
}) => {
  const page = await pageOf(contractor)
  for (const address of [`/${stranger}/Boilers`, '/nowhere/Boilers']) {
    await page.goto(address)
    await expect(clientSelection(page)).toBeVisible()
    await expect(clients(page)).toHaveText(names.map((name) => new RegExp(name)))
    await expect(page.getByText('Acme')).toHaveCount(0)
  }
  await clients(page).filter({ hasText: 'Northgate' }).click()
  await expect(page).toHaveURL('/northgate/Boilers')
})

test('somebody with one client gets it, and nothing of another one by its address [core-1-4 core-2.2-10 core-2.2-11]', async ({
  pageOf,
}) => {
  const page = await pageOf('manager@northgate.example')
  const asked: string[] = []
  page.on('request', (request) => isCall(request) && asked.push(request.url() + (request.postData() ?? '')))
  await page.goto('/')
  await expect(page).toHaveURL('/northgate/Dashboard')
  await page.goto('/harbour/EmergencyLights')
  await expect(page).toHaveURL('/northgate/EmergencyLights')
  await expect(page.getByRole('banner')).toContainText('Northgate Homes')
  await expect(rows(page)).toHaveCount(100)
  expect(asked.filter((request) => request.includes('harbour'))).toEqual([])
  const byHand = await ask(page, fetchViewData, { body: { tenant: 'harbour', listing: 'EmergencyLights' } })
  expect(byHand).toMatchObject({ status: 404 })
  await page.getByRole('button', { name: /Logged in as/ }).click()
  await expect(page.getByRole('menuitem', { name: 'Logout' })).toBeVisible()
  await expect(page.getByRole('menuitem', { name: 'Change Client' })).toHaveCount(0)
})

test('changing the client leads back to the selection and leaves nothing of the old one [core-2.2-12 core-2.2-13 core-2.3-5]', async ({
  pageOf,
}) => {
  const page = await pageOf(contractor)
  await page.goto('/northgate/EmergencyLights?page=2')
  await expect(rows(page)).toHaveCount(100)
  const old = await rowIds(page)
  await userMenu(page, 'Change Client')
  await expect(clientSelection(page)).toBeVisible()
  await expect(page).toHaveURL('/EmergencyLights')
  await expect(rows(page)).toHaveCount(0)

  const release = await hold(page, '**/api/FetchViewData')
  await clients(page).filter({ hasText: 'Harbour' }).click()
  await expect(page).toHaveURL('/harbour/EmergencyLights')
  await expect(page.getByText('Loading Emergency Lights')).toBeAttached()
  await expect(rows(page)).toHaveCount(0)
  release()
  await expect(rows(page)).not.toHaveCount(0)
  const shown = await rowIds(page)
  expect(shown.filter((id) => old.includes(id))).toEqual([])
  const { data } = await ask(page, fetchViewData, { body: { tenant: 'harbour', listing: 'EmergencyLights' } })
  expect(shown).toEqual((data as { rows: DeviceRow[] }).rows.map((row) => row.deviceId))

  // Neither is anything kept for a return: what was read of the old client is asked for anew.
  await userMenu(page, 'Change Client')
  await page.unroute('**/api/FetchViewData')
  const again = await hold(page, '**/api/FetchViewData')
  await clients(page).filter({ hasText: 'Northgate' }).click()
  await expect(page.getByText('Loading Emergency Lights')).toBeAttached()
  await expect(rows(page)).toHaveCount(0)
  again()
  await expect(rows(page)).toHaveCount(100)
})

test('two tabs hold two clients, each with the role held there [core-1-3]', async ({ pageOf }) => {
  const first = await pageOf(contractor)
  const second = await first.context().newPage()
  await first.goto('/northgate/EmergencyLights')
  await second.goto('/harbour/EmergencyLights')
  await expect(rows(first)).not.toHaveCount(0)
  await expect(rows(second)).not.toHaveCount(0)
  // A manager in one, a lighting engineer in the other.
  await expect(first.getByRole('link', { name: 'Boilers' })).toHaveCount(1)
  await expect(second.getByRole('link', { name: 'Boilers' })).toHaveCount(0)
  const [inFirst, inSecond] = [await rowIds(first), await rowIds(second)]
  expect(inFirst.filter((id) => inSecond.includes(id))).toEqual([])
  for (const tab of [first, second]) {
    await tab.goto('/')
    await expect(dashboard(tab)).toBeVisible()
  }
  await expect(first).toHaveURL('/northgate/Dashboard')
  await expect(second).toHaveURL('/harbour/Dashboard')
})
