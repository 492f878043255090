import { randomUUID } from 'node:crypto'
import type { Locator, Page } from '@playwright/test'
import {
  createViewDefinition,
  deleteViewDefinition,
  getViewDefinitions,
  updateViewDefinition,
} from '@caretaker/contract/views.ts'
import type { ViewDefinition } from '@caretaker/contract/views.ts'
import { ask } from './fixtures/api.ts'
import { findings, ofColours } from './fixtures/axe.ts'
import { answer, choose, counted, toast } from './fixtures/lists.ts'
import { dashboard, rows, userMenu } from './fixtures/portal.ts'
import { consoleText, expect, signIn, test } from './fixtures/test.ts'

const manager = 'manager@northgate.example'
const contractor = 'contractor@multi.example'
const guest = 'guest@northgate.example'
const lights = '/northgate/EmergencyLights'

/** A name that no other run of a test has. */
const named = (what: string) => `${what} ${randomUUID().slice(0, 8)}`

const bar = (page: Page): Locator => page.getByRole('toolbar', { name: 'View' })
const button = (page: Page, name: string): Locator => bar(page).getByRole('button', { name, exact: true })
const tabs = (page: Page): Locator => page.getByRole('navigation', { name: 'Views' })
const here = (page: Page): Locator => tabs(page).locator('[aria-current]')
const dialog = (page: Page): Locator => page.getByRole('dialog')
const picker = (page: Page): Locator => page.getByRole('dialog', { name: /^All \d+ views/ })

async function manage(page: Page, entry: string): Promise<void> {
  await button(page, 'Manage').click()
  await page.getByRole('menuitem', { name: entry, exact: true }).click()
}

async function openPicker(page: Page): Promise<void> {
  await page.getByRole('button', { name: /^All \d+ views$/ }).click()
  await expect(picker(page)).toBeVisible()
}

/** Saves what is shown as a new view and waits until it is the one that is shown. */
async function saveAs(page: Page, label: string, visibility: 'Private' | 'Public' = 'Private'): Promise<void> {
  await button(page, 'Save As').click()
  await dialog(page).getByLabel('Name').fill(label)
  await dialog(page).getByRole('radio', { name: visibility }).check()
  await dialog(page).getByRole('button', { name: 'Save' }).click()
  await expect(here(page)).toContainText(label)
}

/** Makes a view by a call, as its owner's own. */
async function made(page: Page, part: Partial<{ label: string; private: boolean; listing: 'ThirdParty' }> = {}) {
  const { status, data } = await ask(page, createViewDefinition, {
    body: {
      tenant: 'northgate',
      listing: 'EmergencyLights',
      label: named('Made'),
      private: true,
      columns: ['serial', 'name', 'status'],
      filters: [{ fieldId: 'status', filterOp: 'equals', value: 'Ok' }],
      ...part,
    },
  })
  expect(status).toBe(200)
  return data as ViewDefinition
}

const addressOf = ({ viewId }: Pick<ViewDefinition, 'viewId'>) => `${lights}/Listing/${viewId}`
const header = (page: Page, name: string): Locator => page.getByRole('columnheader', { name, exact: true })

test('a system view is never saved over, and nothing of it can be managed [dev-2views-1 dev-2views-5 dev-2views-12]', async ({
  pageOf,
}) => {
  const page = await pageOf(manager)
  await page.goto(lights)
  await expect(here(page)).toContainText('Emergency Lights')
  await expect(button(page, 'Save')).toBeDisabled()
  await expect(button(page, 'Save As')).toBeEnabled()
  await expect(button(page, 'Manage')).toBeEnabled()
  const filters = encodeURIComponent(JSON.stringify([{ fieldId: 'status', filterOp: 'equals', value: 'Ok' }]))
  for (const change of ['columns=serial,name', `filters=${filters}`]) {
    await page.goto(`${lights}?${change}`)
    await expect(here(page)).toContainText('edited')
    await expect(button(page, 'Save')).toBeDisabled()
  }
  await button(page, 'Manage').click()
  for (const entry of ['Make private', 'Rename', 'Authors', 'Delete'])
    await expect(page.getByRole('menuitem', { name: entry, exact: true })).toBeDisabled()
  await expect(page.getByRole('menuitem', { name: 'Make start page' })).toBeEnabled()
})

test('Save As keeps columns and filters as a new view, which is selected and found again [core-1-13 core-4.4-13 dev-2views-6]', async ({
  pageOf,
}) => {
  const page = await pageOf(manager)
  const label = named('Walk round')
  const filters = [{ fieldId: 'status', filterOp: 'equals', value: 'Ok' }]
  await page.goto(`${lights}?columns=serial,room,status&filters=${encodeURIComponent(JSON.stringify(filters))}`)
  await expect(here(page)).toContainText('edited')
  const loaded = counted(page, 'POST', getViewDefinitions.path)
  await saveAs(page, label)
  await expect(toast(page, `User view ${label} added successfully!`)).toBeVisible()
  await expect(page).toHaveURL(/\/northgate\/EmergencyLights\/Listing\/[0-9a-f-]{36}$/)
  await expect(here(page)).not.toContainText('edited')
  await expect(button(page, 'Save')).toBeDisabled()
  expect(loaded()).toBe(0)

  await page.goto('/northgate/Dashboard')
  await expect(dashboard(page)).toBeVisible()
  await page.goto(lights)
  await expect(header(page, 'Room')).toHaveCount(0)
  await openPicker(page)
  await picker(page).getByLabel('Find a view').fill(label)
  await picker(page).getByRole('link', { name: label }).click()
  await expect(here(page)).toContainText(label)
  await expect(header(page, 'Room')).toBeVisible()
  await expect(header(page, 'Name')).toHaveCount(0)
  await expect(rows(page)).not.toHaveCount(0)
  for (const row of (await rows(page).all()).slice(0, 10)) await expect(row).toContainText('Passed')
})

for (const [what, change, id] of [
  ['columns', 'columns=serial,name,status,room', 'dev-2views-2'],
  [
    'filters',
    `filters=${encodeURIComponent(JSON.stringify([{ fieldId: 'status', filterOp: 'equals', value: 'FailedEquipment' }]))}`,
    'dev-2views-3',
  ],
] as const)
  test(`Save waits for other ${what}; a saved view stays selected and nothing is loaded again [${id} dev-2views-4 core-4.4-14]`, async ({
    pageOf,
  }) => {
    const page = await pageOf(manager)
    const view = await made(page)
    await page.goto(addressOf(view))
    await expect(here(page)).toContainText(view.label)
    await expect(button(page, 'Save')).toBeDisabled()
    // An order alone is no change.
    await page.goto(`${addressOf(view)}?sort=-serial`)
    await expect(here(page)).toContainText(view.label)
    await expect(button(page, 'Save')).toBeDisabled()
    await page.goto(`${addressOf(view)}?${change}`)
    await expect(here(page)).toContainText('edited')
    await expect(button(page, 'Save')).toBeEnabled()
    const loaded = counted(page, 'POST', getViewDefinitions.path)
    await button(page, 'Save').click()
    await expect(page).toHaveURL(addressOf(view))
    await expect(here(page)).toContainText(view.label)
    await expect(here(page)).not.toContainText('edited')
    await expect(button(page, 'Save')).toBeDisabled()
    expect(loaded()).toBe(0)
    await page.reload()
    await expect(here(page)).toContainText(view.label)
    if (what === 'columns') await expect(header(page, 'Room')).toBeVisible()
    else for (const row of (await rows(page).all()).slice(0, 10)) await expect(row).toContainText('Failed')
  })

test('Save As and Rename need a name that no other view has, and save nothing without [dev-5val-1 dev-5val-2 dev-5val-3 dev-5val-4]', async ({
  pageOf,
}) => {
  const page = await pageOf(manager)
  const other = await made(page)
  const view = await made(page)
  await page.goto(addressOf(view))
  await expect(here(page)).toContainText(view.label)
  const saved = [createViewDefinition, updateViewDefinition].map(({ path }) => counted(page, 'POST', path))
  for (const [open, verb] of [
    [() => button(page, 'Save As').click(), 'Save'],
    [() => manage(page, 'Rename'), 'Rename'],
  ] as const) {
    await open()
    const name = dialog(page).getByLabel('Name')
    await name.fill('')
    await name.blur()
    await expect(dialog(page).getByText('Please enter view name')).toBeVisible()
    await expect(dialog(page).getByRole('button', { name: verb })).toBeDisabled()
    for (const taken of [other.label, ` ${other.label.toUpperCase()} `, 'Failed']) {
      await name.fill(taken)
      await name.blur()
      await expect(dialog(page).getByText('View name already in use')).toBeVisible()
      await name.press('Enter')
      await expect(dialog(page).getByRole('button', { name: verb })).toBeDisabled()
    }
    await dialog(page).getByRole('button', { name: 'Cancel' }).click()
    await expect(dialog(page)).toHaveCount(0)
  }
  expect(saved.map((count) => count())).toEqual([0, 0])
})

test('a name that somebody else took meanwhile is said at the field', async ({ pageOf, expectedErrors }) => {
  expectedErrors.push(consoleText(400))
  const page = await pageOf(manager)
  await page.goto(lights)
  await expect(here(page)).toBeVisible()
  const label = named('Taken')
  const other = await pageOf(contractor)
  await made(other, { label, private: false })
  await button(page, 'Save As').click()
  await dialog(page).getByLabel('Name').fill(label)
  await dialog(page).getByRole('button', { name: 'Save' }).click()
  await expect(dialog(page).getByText('View name already in use')).toBeVisible()
})

test('a third-party view cannot be saved as another [dev-2views-7]', async ({ pageOf }) => {
  const page = await pageOf(manager)
  await page.goto('/northgate/ThirdParty?columns=serial,status')
  await expect(here(page)).toContainText('API Integration')
  await expect(button(page, 'Save As')).toBeDisabled()
  // The twin: where views are saved, it is offered.
  await page.goto('/northgate/NetworkingDevices?columns=serial,status')
  await expect(button(page, 'Save As')).toBeEnabled()
})

test('Manage renames a view and makes it public and private; others see it only while it is public [dev-2views-8 dev-2views-9]', async ({
  pageOf,
}) => {
  const page = await pageOf(manager)
  const view = await made(page)
  const label = named('Renamed')
  await page.goto(addressOf(view))
  await manage(page, 'Rename')
  await dialog(page).getByLabel('Name').fill(label)
  await dialog(page).getByRole('button', { name: 'Rename' }).click()
  await expect(here(page)).toContainText(label)
  await expect(page).toHaveURL(addressOf(view))

  const other = await pageOf(guest)
  const seen = async () => {
    await other.goto(lights)
    await openPicker(other)
    return picker(other).getByRole('link', { name: label }).count()
  }
  expect(await seen()).toBe(0)
  await manage(page, 'Make public')
  await expect(here(page)).toContainText('Public view')
  await expect.poll(seen).toBe(1)
  await expect(picker(other).getByRole('link', { name: label })).toContainText('Priya Nair')
  await manage(page, 'Make private')
  await expect(here(page)).toContainText('Private view')
  await expect.poll(seen).toBe(0)
})

test('Manage sets the authors of a view from the users of the client; an author may save it, and no more [dev-2views-11]', async ({
  pageOf,
}) => {
  const page = await pageOf(manager)
  const view = await made(page)
  await page.goto(addressOf(view))
  await manage(page, 'Authors')
  const authors = dialog(page).getByRole('combobox', { name: 'Authors' })
  await authors.click()
  await expect(page.getByRole('option', { name: 'Priya Nair' })).toHaveCount(0)
  await expect(page.getByRole('option', { name: 'Robert McAllister' })).toHaveCount(0)
  await page.getByRole('option', { name: 'Callum Hargreaves' }).click()
  await page.keyboard.press('Escape')
  await dialog(page).getByRole('button', { name: 'Save' }).click()
  await expect(dialog(page)).toHaveCount(0)

  const author = await pageOf('lighting@northgate.example')
  await author.goto(`${addressOf(view)}?columns=serial,room`)
  await expect(here(author)).toContainText(view.label)
  await button(author, 'Save').click()
  await expect(toast(author, `User view ${view.label} saved successfully!`)).toBeVisible()
  await button(author, 'Manage').click()
  for (const entry of ['Make public', 'Rename', 'Authors', 'Delete'])
    await expect(author.getByRole('menuitem', { name: entry, exact: true })).toBeDisabled()
})

test('a deleted view leaves the list without the list being loaded again, and the main view opens [core-4.4-11 dev-2views-10]', async ({
  pageOf,
}) => {
  const page = await pageOf(manager)
  const view = await made(page)
  await page.goto(addressOf(view))
  await expect(here(page)).toContainText(view.label)
  const loaded = counted(page, 'POST', getViewDefinitions.path)
  const deleted = counted(page, 'POST', deleteViewDefinition.path)
  await manage(page, 'Delete')
  await expect(dialog(page)).toContainText(view.label)
  await dialog(page).getByRole('button', { name: 'Cancel' }).click()
  expect(deleted()).toBe(0)
  await manage(page, 'Delete')
  await dialog(page).getByRole('button', { name: 'Delete' }).click()
  await expect(page).toHaveURL(lights)
  await expect(here(page)).toContainText('Emergency Lights')
  await expect(tabs(page).getByText(view.label)).toHaveCount(0)
  await openPicker(page)
  await expect(picker(page).getByRole('link', { name: view.label })).toHaveCount(0)
  expect(loaded()).toBe(0)
})

test('views are presented as system, public and private with their counts, in a list of 300 px that scrolls [dev-2views-14 dev-9const-3]', async ({
  pageOf,
}) => {
  const page = await pageOf(manager)
  const mine = await made(page)
  const shared = await made(page, { private: false })
  for (let more = 0; more < 4; more++) await made(page)
  await page.goto(lights)
  const total = await rows(page)
    .first()
    .waitFor()
    .then(() => page.getByRole('heading', { level: 1 }).locator('..').innerText())
  await openPicker(page)
  const group = (name: string) => picker(page).getByRole('region', { name, exact: true })
  await expect(group('System').getByRole('link')).toHaveText([
    /Emergency Lights/,
    /Inventory/,
    /Installed/,
    /Failed/,
    /Warning/,
  ])
  await expect(group('Public').getByRole('link', { name: shared.label })).toHaveCount(1)
  await expect(group('Private').getByRole('link', { name: mine.label })).toHaveCount(1)
  const main = group('System').getByRole('link').first()
  await expect(main).toHaveText(/\d/)
  expect(total.replaceAll(/\D/g, '')).toContain((await main.innerText()).replaceAll(/\D/g, ''))
  const list = group('System').locator('..')
  const sizes = await list.evaluate((one: HTMLElement) => ({ shown: one.offsetHeight, whole: one.scrollHeight }))
  expect(sizes.shown).toBe(300)
  expect(sizes.whole).toBeGreaterThan(300)
  const last = group('Private').getByRole('link').last()
  await expect(last).not.toBeInViewport()
  await last.scrollIntoViewIfNeeded()
  await expect(last).toBeInViewport()
  await picker(page).getByLabel('Find a view').fill('no such view at all')
  await expect(picker(page).getByText('No view is called ‘no such view at all’')).toBeVisible()
})

test('of two who save one view the second learns of it, and takes theirs or keeps a view of their own', async ({
  pageOf,
  expectedErrors,
}) => {
  expectedErrors.push(consoleText(409))
  const page = await pageOf(manager)
  const view = await made(page, { private: false })
  const other = await pageOf(contractor)
  for (const one of [page, other]) {
    await one.goto(`${addressOf(view)}?columns=serial,${one === page ? 'room' : 'floor'}`)
    await expect(button(one, 'Save')).toBeEnabled()
  }
  await button(other, 'Save').click()
  await expect(toast(other, `User view ${view.label} saved successfully!`)).toBeVisible()
  await button(page, 'Save').click()
  await expect(dialog(page)).toContainText(`${view.label} was saved by somebody else`)
  await dialog(page).getByRole('button', { name: 'Save As' }).click()
  await expect(dialog(page)).toContainText('Save view as')
  const label = named('Mine')
  await dialog(page).getByLabel('Name').fill(label)
  await dialog(page).getByRole('button', { name: 'Save' }).click()
  await expect(here(page)).toContainText(label)
  await expect(header(page, 'Room')).toBeVisible()

  await tabs(page).getByRole('link', { name: view.label }).click()
  await expect(here(page)).toContainText(view.label)
  await page.goto(`${addressOf(view)}?columns=serial,room`)
  await expect(button(page, 'Save')).toBeEnabled()
  await other.goto(`${addressOf(view)}?columns=serial,building`)
  await button(other, 'Save').click()
  await expect(toast(other, `User view ${view.label} saved successfully!`)).toBeVisible()
  await button(page, 'Save').click()
  await dialog(page).getByRole('button', { name: 'Load theirs' }).click()
  await expect(dialog(page)).toHaveCount(0)
  await expect(page).toHaveURL(addressOf(view))
  await expect(header(page, 'Building')).toBeVisible()
  await expect(header(page, 'Room')).toHaveCount(0)
})

test('a view that somebody deleted while it was changed can be kept as a new one', async ({
  pageOf,
  expectedErrors,
}) => {
  expectedErrors.push(consoleText(404))
  const page = await pageOf(manager)
  const view = await made(page)
  await page.goto(`${addressOf(view)}?columns=serial,room`)
  await expect(button(page, 'Save')).toBeEnabled()
  await ask(page, deleteViewDefinition, { body: { tenant: 'northgate', viewId: view.viewId } })
  await button(page, 'Save').click()
  await expect(dialog(page)).toContainText(`${view.label} was deleted`)
  await dialog(page).getByRole('button', { name: 'Leave it' }).click()
  await expect(page).toHaveURL(lights)
  await expect(tabs(page).getByText(view.label)).toHaveCount(0)
})

for (const [status, text, ids] of [
  [500, 'Server error.', ' [core-8-11]'],
  [403, "You don't have permission.", ' [core-8-11]'],
] as const)
  test(`a save that is answered ${status} says so and keeps what was changed${ids}`, async ({
    pageOf,
    expectedErrors,
  }) => {
    expectedErrors.push(consoleText(status))
    const page = await pageOf(manager)
    const view = await made(page)
    await page.goto(`${addressOf(view)}?columns=serial,room`)
    await expect(button(page, 'Save')).toBeEnabled()
    await answer(page, 'POST', `**${updateViewDefinition.path}`, status, {})
    await button(page, 'Save').click()
    // A version 1 call that gives no reason has words of its own; only without an envelope does the status speak.
    await expect(toast(page, text)).toBeVisible()
    await expect(here(page)).toContainText('edited')
    await expect(button(page, 'Save')).toBeEnabled()
  })

test('views of a grid are the own documents: added, saved and deleted in its words [core-4.4-11 core-4.4-13 core-4.4-14 dev-8err-15 dev-8err-16]', async ({
  pageOf,
}) => {
  const page = await pageOf(manager)
  const label = named('Hubs')
  await page.goto('/northgate/HomeHubs?columns=serial,status')
  await expect(here(page)).toContainText('edited')
  const loaded = counted(page, 'GET', /\/documents$/)
  await button(page, 'Save As').click()
  await expect(dialog(page).getByRole('radio')).toHaveCount(0)
  await dialog(page).getByLabel('Name').fill(label)
  await dialog(page).getByRole('button', { name: 'Save' }).click()
  await expect(toast(page, `User view ${label} added successfully!`)).toBeVisible()
  await expect(here(page)).toContainText(label)
  await expect(page).toHaveURL(/\/northgate\/HomeHubs\?view=[0-9a-f-]{36}$/)
  const address = page.url()
  await button(page, 'Manage').click()
  await expect(page.getByRole('menuitem', { name: 'Authors' })).toHaveCount(0)
  await expect(page.getByRole('menuitem', { name: 'Make public' })).toHaveCount(0)
  await page.keyboard.press('Escape')
  expect(loaded()).toBe(0)

  await page.goto(`${address}&columns=serial,name`)
  await button(page, 'Save').click()
  await expect(toast(page, `User view ${label} saved successfully!`)).toBeVisible()
  await expect(page).toHaveURL(address)
  await expect(header(page, 'Name')).toBeVisible()

  // The twin: nobody else is told of it, not even at its address.
  const other = await pageOf(contractor)
  await other.goto('/northgate/HomeHubs')
  await openPicker(other)
  await expect(picker(other).getByRole('link', { name: label })).toHaveCount(0)
  await other.goto(address)
  await expect(other.getByRole('heading', { level: 1 })).toBeVisible()
  await expect(other.getByText(label)).toHaveCount(0)

  const again = counted(page, 'GET', /\/documents$/)
  await manage(page, 'Delete')
  await dialog(page).getByRole('button', { name: 'Delete' }).click()
  await expect(toast(page, `User view ${label} deleted successfully!`)).toBeVisible()
  await expect(page).toHaveURL('/northgate/HomeHubs')
  await expect(tabs(page).getByText(label)).toHaveCount(0)
  expect(again()).toBe(0)
})

test('a guest uses a public view of others, neither saves nor manages it, and keeps a private one', async ({
  pageOf,
}) => {
  const page = await pageOf(manager)
  const view = await made(page, { private: false })
  const other = await pageOf(guest)
  await other.goto(`${addressOf(view)}?columns=serial,room`)
  await expect(here(other)).toContainText(view.label)
  await expect(here(other)).toContainText('edited')
  await expect(button(other, 'Save')).toBeDisabled()
  await expect(button(other, 'Save As')).toBeEnabled()
  await button(other, 'Manage').click()
  for (const entry of ['Make private', 'Rename', 'Authors', 'Delete'])
    await expect(other.getByRole('menuitem', { name: entry, exact: true })).toBeDisabled()
  const body = { tenant: 'northgate', viewId: view.viewId }
  expect(
    (await ask(other, updateViewDefinition, { body: { ...body, version: view.version, label: 'X' } })).status,
  ).toBe(403)
  expect((await ask(other, deleteViewDefinition, { body })).status).toBe(403)
  // A view of one's own is nothing of the client's: what is offered is not refused.
  await other.getByRole('menu').press('Escape')
  await expect(other.getByRole('menu')).toHaveCount(0)
  const own = named('Own')
  await saveAs(other, own)
  await expect(header(other, 'Room')).toBeVisible()
  await manage(other, 'Delete')
  await dialog(other).getByRole('button', { name: 'Delete' }).click()
  await expect(toast(other, `User view ${own} deleted successfully!`)).toBeVisible()
})

for (const [who, tenant, what] of [
  [contractor, 'northgate', "somebody else's private view"],
  ['manager@harbour.example', 'harbour', "another client's view"],
] as const)
  test(`the address of ${what} shows ${who} nothing of it`, async ({ pageOf }) => {
    const page = await pageOf(manager)
    const view = await made(page, { private: tenant === 'northgate' })
    const other = await pageOf(who)
    await other.goto(`/${tenant}/EmergencyLights/Listing/${view.viewId}`)
    await expect(other.getByRole('main')).not.toBeEmpty()
    await expect(
      other.getByText(/not found|no such view|view .*(gone|not there|does not exist)/i).first(),
    ).toBeVisible()
    await expect(other.getByText(view.label)).toHaveCount(0)
    const { status } = await ask(other, deleteViewDefinition, { body: { tenant, viewId: view.viewId } })
    expect(status).toBe(404)
  })

/** Signs in from the origin, as whoever asks for no place does. */
async function enter(page: Page): Promise<void> {
  await page.goto('/')
  await signIn(page, manager)
  await page.getByText('Logged in as').first().waitFor()
}

async function leave(page: Page): Promise<void> {
  await userMenu(page, 'Logout')
  await expect(page.getByRole('button', { name: 'Login' })).toBeVisible()
}

test('a view made the start page opens at the next sign-in, unless a place is asked for', async ({ page }) => {
  test.slow()
  await enter(page)
  await expect(dashboard(page)).toBeVisible()
  const view = await made(page)
  await page.goto(addressOf(view))
  await manage(page, 'Make start page')
  await expect(toast(page, `A sign-in opens ${view.label}`)).toBeVisible()
  await leave(page)
  await enter(page)
  await expect(page).toHaveURL(addressOf(view))
  await expect(here(page)).toContainText(view.label)
  // It opens once: the Dashboard is where it was.
  await page.getByRole('complementary').getByRole('link', { name: 'Dashboard' }).click()
  await expect(dashboard(page)).toBeVisible()
  await leave(page)
  await page.goto('/northgate/Boilers')
  await signIn(page, manager)
  await expect(page).toHaveURL(/\/northgate\/Boilers/)
})

test('My Account chooses the start page; one that is gone leaves the Dashboard', async ({ page }) => {
  test.slow()
  await enter(page)
  const view = await made(page)
  await page.goto('/northgate/MyAccount')
  await choose(page, 'Start page', `Emergency Lights – ${view.label}`)
  await leave(page)
  await enter(page)
  await expect(page).toHaveURL(addressOf(view))
  await page.goto('/northgate/MyAccount')
  await expect(page.getByRole('combobox', { name: 'Start page' })).toHaveValue(`Emergency Lights – ${view.label}`)
  await ask(page, deleteViewDefinition, { body: { tenant: 'northgate', viewId: view.viewId } })
  await leave(page)
  await enter(page)
  await expect(dashboard(page)).toBeVisible()
  await page.goto('/northgate/MyAccount')
  await expect(page.getByRole('combobox', { name: 'Start page' })).toHaveValue('Dashboard')
})

test('the start page of one person is not that of the next at the same browser', async ({ page }) => {
  await page.goto('/')
  await signIn(page, manager)
  await expect(dashboard(page)).toBeVisible()
  await page.goto(`${lights}/Listing/emered-failed`)
  await manage(page, 'Make start page')
  await leave(page)
  await signIn(page, guest)
  await expect(dashboard(page)).toBeVisible()
  await expect(page).toHaveURL('/northgate/Dashboard')
})

test('the views and their dialogs are accessible in light, in dark and on a phone', async ({ pageOf }) => {
  test.slow()
  const page = await pageOf(manager)
  const view = await made(page)
  await page.goto(`${addressOf(view)}?columns=serial,room`)
  await expect(here(page)).toContainText('edited')
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme })
    await expect(page.locator('html')).toHaveAttribute('data-mantine-color-scheme', colorScheme)
    const rules = colorScheme === 'dark' ? ofColours : undefined
    const ofDialog = () => findings(page, { rules, include: '[role="dialog"]' })
    await openPicker(page)
    expect.soft(await ofDialog(), `picker, ${colorScheme}`).toEqual([])
    await page.keyboard.press('Escape')
    await button(page, 'Manage').click()
    await expect(page.getByRole('menuitem', { name: 'Rename' })).toBeVisible()
    // The bar of the views too, which the lists of accessibility.spec.ts do not show edited.
    expect.soft(await findings(page, { rules, exclude: 'tbody' }), `menu, ${colorScheme}`).toEqual([])
    await page.getByRole('menuitem', { name: 'Authors' }).click()
    await expect(dialog(page).getByRole('combobox')).toBeVisible()
    expect.soft(await ofDialog(), `authors, ${colorScheme}`).toEqual([])
    await page.keyboard.press('Escape')
    await expect(dialog(page)).toHaveCount(0)
    await button(page, 'Save As').click()
    await expect(dialog(page).getByLabel('Name')).toBeVisible()
    expect.soft(await ofDialog(), `save as, ${colorScheme}`).toEqual([])
    await page.keyboard.press('Escape')
    await expect(dialog(page)).toHaveCount(0)
  }
  await page.setViewportSize({ width: 390, height: 844 })
  await button(page, 'Manage').click()
  await expect(page.getByRole('menuitem', { name: 'Save As' })).toBeVisible()
  expect.soft(await findings(page, { exclude: 'tbody' }), 'phone').toEqual([])
})

test("a view's menu copies its link, which opens it for a colleague; that of a private one says for whom it is", async ({
  pageOf,
}) => {
  const permissions = ['clipboard-read', 'clipboard-write']
  const page = await pageOf(manager, { permissions })
  const copied = () => page.evaluate(() => navigator.clipboard.readText())
  await page.goto('/northgate/EmergencyLights/Listing/emered-failed?search=stair&columns=serial,name')
  await manage(page, 'Copy link')
  await expect(toast(page, /^Link copied$/)).toBeVisible()
  const link = await copied()
  expect(link).toBe(new URL('/northgate/EmergencyLights/Listing/emered-failed', page.url()).href)
  const guest = await pageOf('guest@northgate.example')
  await guest.goto(link)
  await expect(here(guest)).toContainText('Failed')

  await page.goto('/northgate/EmergencyLights')
  await saveAs(page, named('Mine'))
  await manage(page, 'Copy link')
  await expect(toast(page, 'Only you and its authors can open it.')).toBeVisible()
  await guest.goto(await copied())
  await expect(toast(guest, 'There is no such view, or it is not yours to see.')).toBeVisible()
})
