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
import { choose, counted, toast } from './fixtures/lists.ts'
import { dashboard, rows, userMenu } from './fixtures/portal.ts'
import { expect, signIn, test } from './fixtures/test.ts'

// These tests change the same demo rows, so they run one after the other.
test.describe.configure({ mode: 'default' })

const manager = 'manager@northgate.example'
const contractor = 'contractor@multi.example'
const guest = 'guest@northgate.example'
const lights = '/northgate/EmergencyLights'

/** A name that no other test run uses. */
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

/** Saves the shown view as a new one and waits until that is shown. */
async function saveAs(page: Page, label: string, visibility: 'Private' | 'Public' = 'Private'): Promise<void> {
  await button(page, 'Save As').click()
  await dialog(page).getByLabel('Name').fill(label)
  await dialog(page).getByRole('radio', { name: visibility }).check()
  await dialog(page).getByRole('button', { name: 'Save' }).click()
  await expect(here(page)).toContainText(label)
}

/** Creates a view by a direct call of its owner. */
async function createView(page: Page, part: Partial<{ label: string; private: boolean; root: 'thirdParty' }> = {}) {
  const { status, data } = await ask(page, createViewDefinition, {
    body: {
      tenant: 'northgate',
      view: {
        root: 'emered',
        label: named('Made'),
        private: true,
        columns: ['serial', 'name', 'status'],
        filters: [{ fieldId: 'status', filterOp: 'equals', value: 'Ok' }],
        ...part,
      },
    },
  })
  expect(status).toBe(200)
  return data as ViewDefinition
}

const addressOf = ({ viewId }: Pick<ViewDefinition, 'viewId'>) => `${lights}/Listing/${viewId}`
const header = (page: Page, name: string): Locator => page.getByRole('columnheader', { name, exact: true })

test('Save As stores columns and filters as a new view, which is selected and found again [core-1-13 core-4.4-13 dev-2views-6]', async ({
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

test('Manage renames a view and makes it public or private; others see it only while it is public [dev-2views-8 dev-2views-9]', async ({
  pageOf,
}) => {
  const page = await pageOf(manager)
  const view = await createView(page)
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

test("a guest cannot change another user's public view, and can keep a private one", async ({ pageOf }) => {
  const page = await pageOf(manager)
  const view = await createView(page, { private: false })
  const other = await pageOf(guest)
  await other.goto(`${addressOf(view)}?columns=serial,room`)
  await expect(here(other)).toContainText(view.label)
  const body = { tenant: 'northgate', viewId: view.viewId }
  expect(
    (
      await ask(other, updateViewDefinition, {
        body: { tenant: body.tenant, view: { viewId: view.viewId, version: view.version, label: 'X' } },
      })
    ).status,
  ).toBe(403)
  expect((await ask(other, deleteViewDefinition, { body })).status).toBe(403)
  const own = named('Own')
  await saveAs(other, own)
  await expect(header(other, 'Room')).toBeVisible()
  await manage(other, 'Delete')
  await dialog(other).getByRole('button', { name: 'Delete' }).click()
  await expect(toast(other, `User view ${own} deleted successfully!`)).toBeVisible()
})

for (const [who, tenant, what] of [
  [contractor, 'northgate', "another user's private view"],
  ['manager@harbour.example', 'harbour', "another client's view"],
] as const)
  test(`the address of ${what} shows ${who} nothing of it`, async ({ pageOf }) => {
    const page = await pageOf(manager)
    const view = await createView(page, { private: tenant === 'northgate' })
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

/** Signs in from the portal's origin, without requesting a particular page. */
async function enter(page: Page): Promise<void> {
  await page.goto('/')
  await signIn(page, manager)
  await page.getByText('Logged in as').first().waitFor()
}

async function leave(page: Page): Promise<void> {
  await userMenu(page, 'Logout')
  await expect(page.getByRole('button', { name: 'Login' })).toBeVisible()
}

test('the view chosen as start page opens at the next sign-in, unless another page is requested', async ({ page }) => {
  test.slow()
  await enter(page)
  await expect(dashboard(page)).toBeVisible()
  const view = await createView(page)
  await page.goto(addressOf(view))
  await manage(page, 'Make start page')
  await expect(toast(page, `Sign-in now opens ${view.label}`)).toBeVisible()
  await leave(page)
  await enter(page)
  await expect(page).toHaveURL(addressOf(view))
  await expect(here(page)).toContainText(view.label)
  // The view opens only at sign-in; the Dashboard stays available.
  await page.getByRole('complementary').getByRole('link', { name: 'Dashboard' }).click()
  await expect(dashboard(page)).toBeVisible()
  await leave(page)
  await page.goto('/northgate/Boilers')
  await signIn(page, manager)
  await expect(page).toHaveURL(/\/northgate\/Boilers/)
})

test('My Account chooses the start page; if that view is gone, the Dashboard opens', async ({ page }) => {
  test.slow()
  await enter(page)
  const view = await createView(page)
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

test("one user's start page does not apply to the next user of the same browser", async ({ page }) => {
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
