import type { Page } from '@playwright/test'
import { demoTenants } from '@caretaker/demo/fixtures.ts'
import { getTenantBuildings } from '@caretaker/contract/buildings.ts'
import { fetchViewData } from '@caretaker/contract/devices.ts'
import type { DeviceRow } from '@caretaker/contract/devices.ts'
import { listUsers } from '@caretaker/contract/people.ts'
import type { AnyRoute } from '@caretaker/contract/route.ts'
import { getTenantTags } from '@caretaker/contract/tags.ts'
import { createViewDefinition, getViewDefinitions } from '@caretaker/contract/views.ts'
import { ask, isCall } from './fixtures/api.ts'
import { caretaker } from './fixtures/operator.ts'
import { bend, clientSelection, dashboard, hold, rowIds, rows, sidebar, userMenu } from './fixtures/portal.ts'
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
  await expect(page.getByRole('heading', { name: 'Boilers' })).toBeVisible()
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

test('changing the client leads back to the selection and leaves nothing of the old one [core-2.2-13 core-2.3-5 est-4-27]', async ({
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

/** What the pages of a client can show of it, by kind. */
async function namesIn(page: Page, tenant: string): Promise<Record<(typeof kinds)[number], string[]>> {
  const answer = async (route: AnyRoute, sent: object) => (await ask(page, route, sent as never)).data as never
  const { rows }: { rows: DeviceRow[] } = await answer(fetchViewData, { body: { tenant, listing: 'EmergencyLights' } })
  const { rows: homes }: { rows: DeviceRow[] } = await answer(fetchViewData, { body: { tenant, listing: 'Boilers' } })
  const { views }: { views: { label: string; builtIn: boolean }[] } = await answer(getViewDefinitions, {
    body: { tenant },
  })
  const buildings: { name: string }[] = await answer(getTenantBuildings, { body: { tenant } })
  const { tags }: { tags: { name: string }[] } = await answer(getTenantTags, { body: { tenant } })
  const { results: users }: { results: { name: string }[] } = await answer(listUsers, { params: { tenant } })
  return {
    devices: rows.map(({ deviceSerial }) => deviceSerial),
    views: views.filter(({ builtIn }) => !builtIn).map(({ label }) => label),
    buildings: buildings.map(({ name }) => name),
    tags: tags.map(({ name }) => name),
    users: users.map(({ name }) => name),
    properties: homes.flatMap(({ devicePropertyReference }) => devicePropertyReference ?? []),
  }
}
const kinds = ['devices', 'views', 'buildings', 'tags', 'users', 'properties'] as const

test('no device, view, building, home, tag or user of the old client is shown in the new one [core-2.2-12 est-4-26]', async ({
  pageOf,
}) => {
  const page = await pageOf('admin@caretaker.example')
  await page.goto('/northgate/EmergencyLights')
  await expect(rows(page)).toHaveCount(100)
  const label = `Old ${Date.now().toString(36)}`
  const view = { listing: 'EmergencyLights', label, columns: ['serial', 'building'], filters: [] } as const
  await ask(page, createViewDefinition, { body: { tenant: 'northgate', ...view } as never })
  const [old, own] = [await namesIn(page, 'northgate'), await namesIn(page, 'harbour')]
  for (const kind of kinds) old[kind] = old[kind].filter((name) => !own[kind].includes(name))
  expect(old.views).toContain(label)

  const main = page.getByRole('main')
  /** Opens a page from the sidebar, where what it keeps would still be kept. */
  const open = async (name: string) => {
    const link = sidebar(page).getByRole('link', { name, exact: true })
    await expect(sidebar(page).getByRole('link', { name: 'Dashboard' })).toBeVisible()
    if (!(await link.isVisible())) await sidebar(page).getByRole('button', { name: 'Lighting' }).click()
    await link.click()
    await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
    if (name === 'Emergency Lights') await main.getByRole('button', { name: /^All \d+ views$/ }).click()
  }
  const seenOn = async (found: Record<string, string[]>) => {
    const text = await page.locator('body').innerText()
    return kinds.filter((kind) => found[kind]!.some((name) => text.includes(name)))
  }
  const pages = [
    ['Emergency Lights', '**/api/FetchViewData', ['devices', 'views', 'buildings']],
    ['Boilers', '**/api/FetchViewData', ['properties']],
    ['Settings', '**/api/GetTenantTags', ['tags']],
    ['Users', '**/users', ['users']],
  ] as const

  await page.reload()
  for (const [name, , shown] of pages) {
    await open(name)
    await expect.poll(() => seenOn(old), { message: `${name} of the old client` }).toEqual([...shown])
    await page.keyboard.press('Escape')
  }
  await userMenu(page, 'Change Client')
  await clients(page).filter({ hasText: 'Harbour' }).click()
  await expect(page).toHaveURL(/^.*\/harbour\//)
  for (const [name, call, shown] of pages) {
    const release = await hold(page, call)
    await open(name)
    expect(await seenOn(old), `${name}, before it is read`).toEqual([])
    release()
    for (const kind of shown)
      if (own[kind].length > 0 && kind !== 'views')
        await expect(main.getByText(own[kind][0]!, { exact: true }).first()).toBeVisible()
    expect(await seenOn(old), name).toEqual([])
    await page.keyboard.press('Escape')
  }
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
