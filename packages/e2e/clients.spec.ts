import type { Page } from '@playwright/test'
import { createAlertDefinition } from '@caretaker/contract/alerts.ts'
import { fetchViewData } from '@caretaker/contract/devices.ts'
import { createViewDefinition } from '@caretaker/contract/views.ts'
import { ask, isCall } from './fixtures/api.ts'
import type { Client, Member, NewClient } from './fixtures/clients.ts'
import { withHomes } from './fixtures/clients.ts'
import { alterResponse, clientSelection, dashboard, hold, rowIds, rows, sidebar, userMenu } from './fixtures/portal.ts'
import { expect, test } from './fixtures/test.ts'

const names = ['Dale Homes', 'Harbour Facilities', 'Mill Council']
const clients = (page: Page) => page.getByRole('list', { name: 'Clients' }).getByRole('link')
const search = (page: Page) => page.getByRole('searchbox', { name: 'Search Client' })

type CreateClient = (wanted?: NewClient) => Promise<Client>

/** A user of three clients: manager of the first, lighting engineer in the second, guest in the third. */
async function withThree(
  newClient: CreateClient,
): Promise<{ three: readonly [Client, Client, Client]; person: Member }> {
  const [dale, harbour, mill] = [
    await newClient({ name: names[0] }),
    await newClient({ name: names[1] }),
    await newClient({ name: names[2] }),
  ]
  const person = dale.manager
  await harbour.member('LightingEngineer', { person })
  await mill.member('Guest', { person })
  return { three: [dale, harbour, mill], person }
}

test('a user with several clients selects one from a list sorted by name [core-2.1-5 core-2.2-1 core-2.2-2 core-2.2-5]', async ({
  newClient,
}) => {
  const { three, person } = await withThree(newClient)
  const page = await three[0].pageOf(person)
  // The server's order does not matter.
  await alterResponse(page, '**/api/GetTenants', ({ data }: { data: unknown[] }) => data.reverse())
  await page.goto('/')
  await expect(clientSelection(page)).toBeVisible()
  await expect(search(page)).toBeVisible()
  await expect(page.getByPlaceholder('Search Client')).toBeVisible()
  await expect(clients(page)).toHaveText(names.map((name) => new RegExp(name)))
  await expect(page.getByRole('navigation', { name: 'Main' })).toHaveCount(0)
})

test('placeholder rows are shown while the clients load [core-2.2-6]', async ({ newClient }) => {
  const { three, person } = await withThree(newClient)
  const page = await three[0].pageOf(person)
  const release = await hold(page, '**/api/GetTenants')
  await page.goto('/')
  await expect(clientSelection(page)).toBeVisible()
  await expect(page.getByRole('status').filter({ hasText: 'Loading clients' })).toBeVisible()
  await expect(clients(page)).toHaveCount(0)
  release()
  await expect(clients(page)).toHaveCount(3)
  await expect(page.getByText('Loading clients')).toHaveCount(0)
})

test('the search finds clients whose name contains the text, ignoring case [core-2.2-3 core-2.2-4]', async ({
  newClient,
}) => {
  const { three, person } = await withThree(newClient)
  const page = await three[0].pageOf(person)
  await page.goto('/')
  await expect(clients(page)).toHaveCount(3)
  await search(page).fill('ALE H')
  await expect(clients(page)).toHaveText([/Dale Homes/])
  await search(page).fill('ill c')
  await expect(clients(page)).toHaveText([/Mill Council/])
  await search(page).fill('acme')
  await expect(clients(page)).toHaveCount(0)
  await expect(page.getByText('No matching clients.')).toBeVisible()
  await search(page).fill('')
  await expect(clients(page)).toHaveCount(3)
})

test('selecting a client opens the current path in it [core-2.1-6 core-2.2-7 core-2.2-8]', async ({ newClient }) => {
  const { three, person } = await withThree(newClient)
  await three[0].boiler()
  const page = await three[0].pageOf(person)
  await page.goto('/Boilers?sort=-name')
  await clients(page).filter({ hasText: 'Dale' }).click()
  await expect(page).toHaveURL(three[0].at('Boilers?sort=-name'))
  await expect(page.getByRole('heading', { name: 'Boilers' })).toBeVisible()
  await expect(page.getByRole('banner')).toContainText('Dale Homes')
  await expect(rows(page)).toHaveCount(1)
})

test('clients can be searched and selected with the keyboard alone', async ({ newClient }) => {
  const { three, person } = await withThree(newClient)
  const page = await three[0].pageOf(person)
  await page.goto('/')
  await expect(search(page)).toBeFocused()
  await page.keyboard.type('mill')
  await expect(clients(page)).toHaveCount(1)
  await page.keyboard.press('Enter')
  await expect(page).toHaveURL(three[2].at('Dashboard'))
})

test("one of the user's own clients in the address is selected without asking [core-2.2-9]", async ({ newClient }) => {
  const { three, person } = await withThree(newClient)
  const page = await three[0].pageOf(person)
  await page.goto(three[1].at('NetworkingDevices'))
  await expect(page.getByRole('heading', { name: 'Networking Devices' })).toBeVisible()
  await expect(clientSelection(page)).toHaveCount(0)
  await expect(page.getByRole('banner')).toContainText('Harbour Facilities')
})

test("a client in the address that is not the user's own is not selected, whether it exists or not [core-2.2-10]", async ({
  newClient,
}) => {
  const { three, person } = await withThree(newClient)
  const foreignClient = await newClient({ name: 'Acme Housing' })
  const page = await three[0].pageOf(person)
  for (const address of [foreignClient.at('Boilers'), '/nowhere/Boilers']) {
    await page.goto(address)
    await expect(clientSelection(page)).toBeVisible()
    await expect(clients(page)).toHaveText(names.map((name) => new RegExp(name)))
    await expect(page.getByText('Acme')).toHaveCount(0)
  }
  await clients(page).filter({ hasText: 'Dale' }).click()
  await expect(page).toHaveURL(three[0].at('Boilers'))
})

test('a user with one client gets that client, and sees nothing of another one by its address [core-1-4 core-2.2-10 core-2.2-11]', async ({
  newClient,
}) => {
  const [own, other] = [await newClient(), await newClient({ name: 'Harbour Facilities' })]
  const light = await own.light()
  await other.light()
  const page = await own.pageOf('Manager')
  const requested: string[] = []
  page.on('request', (request) => isCall(request) && requested.push(request.url() + (request.postData() ?? '')))
  await page.goto('/')
  await expect(page).toHaveURL(own.at('Dashboard'))
  await page.goto(other.at('EmergencyLights'))
  await expect(page).toHaveURL(own.at('EmergencyLights'))
  await expect(page.getByRole('banner')).toContainText('Mill Homes')
  await expect(rows(page)).toHaveCount(1)
  expect(await rowIds(page)).toEqual([light.deviceId])
  expect(requested.filter((request) => request.includes(other.tenant))).toEqual([])
  const directCall = await ask(page, fetchViewData, { body: { tenant: other.tenant, listing: 'EmergencyLights' } })
  expect(directCall).toMatchObject({ status: 404 })
  await page.getByRole('button', { name: /Logged in as/ }).click()
  await expect(page.getByRole('menuitem', { name: 'Logout' })).toBeVisible()
  await expect(page.getByRole('menuitem', { name: 'Change Client' })).toHaveCount(0)
})

test('changing the client leads to the selection and keeps nothing of the previous client [core-2.2-13 core-2.3-5 est-4-27]', async ({
  newClient,
}) => {
  const { three, person } = await withThree(newClient)
  const [dale, harbour] = three
  await dale.devices('EM', 101)
  const other = await harbour.light()
  const page = await dale.pageOf(person)
  await page.goto(dale.at('EmergencyLights?page=2'))
  await expect(rows(page)).toHaveCount(1)
  await userMenu(page, 'Change Client')
  await expect(clientSelection(page)).toBeVisible()
  await expect(page).toHaveURL('/EmergencyLights')
  await expect(rows(page)).toHaveCount(0)

  const release = await hold(page, '**/api/FetchViewData')
  await clients(page).filter({ hasText: 'Harbour' }).click()
  await expect(page).toHaveURL(harbour.at('EmergencyLights'))
  await expect(page.getByText('Loading Emergency Lights')).toBeAttached()
  await expect(rows(page)).toHaveCount(0)
  release()
  await expect(rows(page)).toHaveCount(1)
  expect(await rowIds(page)).toEqual([other.deviceId])

  // No return address is kept: the page reads the first client again.
  await userMenu(page, 'Change Client')
  await page.unroute('**/api/FetchViewData')
  const again = await hold(page, '**/api/FetchViewData')
  await clients(page).filter({ hasText: 'Dale' }).click()
  await expect(page.getByText('Loading Emergency Lights')).toBeAttached()
  await expect(rows(page)).toHaveCount(0)
  again()
  await expect(rows(page)).toHaveCount(100)
})

test('no device, view, building, property, tag or user of the previous client is shown in the new one [core-2.2-12 est-4-26]', async ({
  newClient,
}) => {
  const [old, other] = [
    await newClient({ ...withHomes, name: 'Dale Homes' }),
    await newClient({ ...withHomes, name: 'Harbour Facilities' }),
  ]
  await other.member('Manager', { person: old.manager })
  /** Creates one item of each kind in a client, named with a word of that client. */
  const fill = async (client: Client, word: string) => {
    const { tenant } = client
    const building = await client.building({ name: `${word} House` })
    const home = await client.home({ reference: `${word}-1`, building })
    const [light] = [await client.light({ name: `${word} light`, building }), await client.boiler({ home })]
    const { id: tagId } = await client.tag(`${word}Tag`)
    const rule = {
      delay: 5,
      delayUnit: 'mins',
      triggerType: 'CONNECTIONSTATUS',
      triggerCondition: 'NotConnected',
    } as const
    const target = { notificationType: 'NONE', notificationTarget: '' } as const
    await client.call(createAlertDefinition, { body: { tagTenant: tenant, tagId, ...rule, ...target } })
    await client.member('Guest', { name: `${word} Guest` })
    const view = { label: `${word} view`, columns: ['serial', 'building'], filters: [] } as const
    await client.call(createViewDefinition, { body: { tenant, view: { root: 'emered', ...view } } as never })
    return {
      devices: light.serial,
      views: `${word} view`,
      buildings: `${word} House`,
      properties: `${word}-1`,
      tags: `${word}Tag`,
      users: `${word} Guest`,
    }
  }
  const [ofOld, own] = [await fill(old, 'Oak'), await fill(other, 'Elm')]
  const page = await old.pageOf('Manager')
  await page.goto(old.at('Dashboard'))
  const main = page.getByRole('main')
  /** Opens a page from the sidebar without reloading the web client. */
  const open = async (name: string) => {
    const link = sidebar(page).getByRole('link', { name, exact: true })
    await expect(sidebar(page).getByRole('link', { name: 'Dashboard' })).toBeVisible()
    if (!(await link.isVisible())) await sidebar(page).getByRole('button', { name: 'Lighting' }).click()
    await link.click()
    await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
    if (name === 'Emergency Lights') await main.getByRole('button', { name: /^All \d+ views$/ }).click()
  }
  const shownOf = async (things: Record<string, string>) => {
    const text = await page.locator('body').innerText()
    return Object.keys(things).filter((kind) => text.includes(things[kind]!))
  }
  const pages = [
    ['Emergency Lights', '**/api/FetchViewData', ['devices', 'views', 'buildings']],
    ['Boilers', '**/api/FetchViewData', ['properties']],
    ['Settings', '**/api/GetTenantTags', ['tags']],
    ['Users', '**/users', ['users']],
  ] as const

  for (const [name, , kinds] of pages) {
    await open(name)
    await expect.poll(() => shownOf(ofOld), { message: `${name} of the old client` }).toEqual([...kinds])
    await page.keyboard.press('Escape')
  }
  await userMenu(page, 'Change Client')
  await clients(page).filter({ hasText: 'Harbour' }).click()
  await expect(page).toHaveURL(new RegExp(`/${other.tenant}/`))
  for (const [name, call, kinds] of pages) {
    const release = await hold(page, call)
    await open(name)
    expect(await shownOf(ofOld), `${name}, before it is read`).toEqual([])
    release()
    // Except views, because the view belongs to another user.
    const others = kinds.filter((kind) => kind !== 'views')
    await expect
      .poll(() => shownOf(own), { message: `${name} of the new client` })
      .toEqual(expect.arrayContaining(others))
    expect(await shownOf(ofOld), name).toEqual([])
    await page.keyboard.press('Escape')
  }
})

test("two tabs can use two clients, each with the user's role in it [core-1-3]", async ({ newClient }) => {
  const { three, person } = await withThree(newClient)
  const [dale, harbour] = three
  const [mine, theirs] = [await dale.light(), await harbour.light()]
  const first = await dale.pageOf(person)
  const second = await first.context().newPage()
  await first.goto(dale.at('EmergencyLights'))
  await second.goto(harbour.at('EmergencyLights'))
  await expect(rows(first)).toHaveCount(1)
  await expect(rows(second)).toHaveCount(1)
  // The user is a manager in the first and a lighting engineer in the second.
  await expect(first.getByRole('link', { name: 'Boilers' })).toHaveCount(1)
  await expect(second.getByRole('link', { name: 'Boilers' })).toHaveCount(0)
  expect([await rowIds(first), await rowIds(second)]).toEqual([[mine.deviceId], [theirs.deviceId]])
  for (const tab of [first, second]) {
    await tab.goto('/')
    await expect(dashboard(tab)).toBeVisible()
  }
  await expect(first).toHaveURL(dale.at('Dashboard'))
  await expect(second).toHaveURL(harbour.at('Dashboard'))
})
