import { randomUUID } from 'node:crypto'
import type { Page } from '@playwright/test'
import type { Tag } from '@caretaker/contract/tags.ts'
import {
  deleteAccessRightsTag,
  getAccessRightsTags,
  getTenantTags,
  tenantCreateTag,
  tenantDeleteTag,
  tenantUpdateTag,
} from '@caretaker/contract/tags.ts'
import { ask } from './fixtures/api.ts'
import { newClient } from './fixtures/client.ts'
import { answer, counted, rowOf, toast } from './fixtures/lists.ts'
import { bend, hold, sidebar } from './fixtures/portal.ts'
import { consoleText, expect, test } from './fixtures/test.ts'

const manager = 'manager@northgate.example'
const tenant = 'northgate'
const tagsPage = '/northgate/Settings/tags'
const accessPage = '/northgate/Settings/accessRightsTags'
const accessCalls = /\/api\/Tenants\/northgate\/AccessRightsTags(\/|$)/i
const dialog = (page: Page) => page.getByRole('dialog')
const refused = (page: Page) => page.getByRole('main').getByText("You don't have permission.")
const newName = (start: string) => `${start}${randomUUID().slice(0, 8)}`
const addTag = (page: Page) => page.getByRole('button', { name: 'Add tag' })
const addAccess = (page: Page) => page.getByRole('button', { name: 'Add access rights tag' })

async function add(page: Page, name: string): Promise<void> {
  await page.getByRole('button', { name: /^Add/ }).click()
  await dialog(page).getByLabel('Name').fill(name)
  await dialog(page).getByRole('button', { name: 'Add' }).click()
}

async function remove(page: Page, name: string): Promise<void> {
  await page.getByRole('button', { name: `Delete: ${name}` }).click()
  await dialog(page).getByRole('button', { name: 'Delete' }).click()
}

async function edit(page: Page, name: string): Promise<void> {
  await page.getByRole('button', { name: `Edit: ${name}` }).click()
  await expect(dialog(page).getByLabel('Name')).toHaveValue(name)
}

const filter = (page: Page) => page.getByRole('searchbox')

test('the settings open on their default page, and tags and access rights tags have addresses of their own, as every tab has [core-2.4-52 core-2.4-53 dev-2settings-2 dev-2settings-3 est-2.5-20 est-2.5-23]', async ({
  pageOf,
}) => {
  const page = await pageOf(manager)
  await page.goto('/northgate/Dashboard')
  await sidebar(page).getByRole('link', { name: 'Settings' }).click()
  await expect(page).toHaveURL('/northgate/Settings')
  await expect(page.getByRole('heading', { name: 'Settings' })).toBeVisible()
  const tabs = page.getByRole('navigation', { name: 'Sections of this page' })
  await expect(tabs.locator('[aria-current=page]')).toHaveCount(1)
  for (const [address, name] of [
    [tagsPage, 'Tags'],
    [accessPage, 'Access rights tags'],
  ] as const) {
    await page.goto(address)
    await expect(tabs.locator('[aria-current=page]')).toHaveText(name)
    await expect(page.getByRole('grid', { name })).toBeVisible()
  }
  await expect(page).toHaveTitle(/^Access Rights Tags – /)
  for (const [address, name] of [
    ['/northgate/Settings/luminaire', 'Standard Luminaires'],
    ['/northgate/Settings/residents', 'Resident app settings'],
    ['/northgate/Settings/apiKeys', 'API keys'],
    ['/northgate/Settings/webhooks', 'Webhooks'],
  ] as const) {
    await page.goto(address)
    await expect(tabs.locator('[aria-current=page]')).toHaveText(name)
    await expect(page.getByRole('grid')).toBeVisible()
  }
})

test('limited users have no settings, neither in the sidebar nor by their address [core-1-6 core-2.4-57 est-6-6]', async ({
  pageOf,
}) => {
  const page = await pageOf('limited@northgate.example')
  const asked = [counted(page, 'POST', '/api/GetTenantTags'), counted(page, 'GET', accessCalls)]
  for (const address of ['/northgate/Settings', tagsPage, accessPage, '/northgate/settings/TAGS']) {
    await page.goto(address)
    await expect(refused(page)).toBeVisible()
    await expect(page.getByRole('grid')).toHaveCount(0)
    await expect(sidebar(page).getByRole('link', { name: 'Dashboard' })).toBeVisible()
    await expect(sidebar(page).getByRole('link', { name: 'Settings' })).toHaveCount(0)
  }
  expect(asked.map((count) => count())).toEqual([0, 0])

  const free = await pageOf(manager)
  await free.goto(tagsPage)
  await expect(free.getByRole('grid', { name: 'Tags' })).toBeVisible()
  await expect(sidebar(free).getByRole('link', { name: 'Settings' })).toBeVisible()
})

test('a tag is created and deleted, and the list follows without being fetched again [core-4.4-12 core-7.4-2 core-8-23 core-8-24]', async ({
  pageOf,
}) => {
  const page = await pageOf(manager)
  await page.goto(tagsPage)
  await expect(addTag(page)).toBeEnabled()
  const reads = counted(page, 'POST', '/api/GetTenantTags')
  const name = newName('New')
  await add(page, name)
  await expect(toast(page, 'Tag created successfully!')).toBeVisible()
  await expect(rowOf(page, name)).toBeVisible()
  await expect(dialog(page)).toHaveCount(0)
  await remove(page, name)
  await expect(toast(page, 'Tag deleted!')).toBeVisible()
  await expect(rowOf(page, name)).toHaveCount(0)
  expect(reads()).toBe(0)
  const { data } = await ask(page, getTenantTags, { body: { tenant } })
  expect((data as { tags: Tag[] }).tags.map((tag) => tag.name)).not.toContain(name)
})

test('the name of a tag is checked in the words of its rules [dev-5val-44 dev-5val-45 dev-5val-46 dev-5val-47 dev-5val-48 dev-5val-49]', async ({
  pageOf,
}) => {
  const page = await pageOf(manager)
  await page.goto(tagsPage)
  const taken = await page.locator('tbody tr[data-row]').first().locator('td[data-named]').innerText()
  await addTag(page).click()
  const name = dialog(page).getByLabel('Name')
  for (const [text, fault] of [
    ['two words', 'No spaces in tag'],
    ['semi-detached', 'Tag name can only have letters and numbers'],
    ['what?', 'Tag name can only have letters and numbers'],
    ['x'.repeat(21), 'Tag name can only 20 characters'],
    [taken.toUpperCase(), 'Tag name has already been used'],
    ['', 'Tag name is required!'],
  ]) {
    await name.fill(text!)
    await name.blur()
    await expect(dialog(page).getByText(fault!)).toBeVisible()
    await expect(dialog(page).getByRole('button', { name: 'Add' })).toBeDisabled()
  }
  await name.fill('x'.repeat(20))
  await expect(dialog(page).getByRole('button', { name: 'Add' })).toBeEnabled()
  await expect(dialog(page).getByText('Tag name can only 20 characters')).toBeHidden()
})

test('the name of a tag is sent when it is another one, once, and not again as the server refused it [dev-5val-50 dev-5val-51 dev-5val-52]', async ({
  pageOf,
  expectedErrors,
}) => {
  expectedErrors.push(consoleText(500))
  const page = await pageOf(manager)
  await page.goto(tagsPage)
  const [former, later, refusedName] = [newName('New'), newName('New'), newName('New')]
  await add(page, former)
  await expect(rowOf(page, former)).toBeVisible()
  const name = dialog(page).getByLabel('Name')
  const save = dialog(page).getByRole('button', { name: 'Save' })
  const sent = counted(page, 'POST', tenantUpdateTag.path)
  await edit(page, former)
  await expect(save).toBeDisabled()
  await name.fill(later)
  await expect(save).toBeEnabled()
  await name.fill(former)
  await expect(save).toBeDisabled()

  await name.fill(later)
  const release = await hold(page, `**${tenantUpdateTag.path}`)
  await save.click()
  await expect(save).toBeDisabled()
  await name.press('Enter')
  release()
  await expect(rowOf(page, later)).toBeVisible()
  await expect(dialog(page)).toHaveCount(0)
  expect(sent()).toBe(1)

  await answer(page, 'POST', `**${tenantUpdateTag.path}`, 500)
  await edit(page, later)
  await name.fill(refusedName)
  await save.click()
  await expect(toast(page, 'Server error.')).toBeVisible()
  await expect(name).toHaveValue(refusedName)
  await expect(save).toBeDisabled()
  await name.press('Enter')
  await name.fill(`${refusedName}2`)
  await expect(save).toBeEnabled()
  expect(sent()).toBe(2)
  await dialog(page).getByRole('button', { name: 'Cancel' }).click()

  // A new tag is refused alike.
  await answer(page, 'POST', `**${tenantCreateTag.path}`, 500)
  await add(page, refusedName)
  await expect(dialog(page).getByRole('button', { name: 'Add' })).toBeDisabled()
  await name.fill(`${refusedName}2`)
  await expect(dialog(page).getByRole('button', { name: 'Add' })).toBeEnabled()
})

test('a manager of misc adds, edits and deletes tags, and nobody below does [dev-6other-10]', async ({ pageOf }) => {
  const page = await pageOf(manager)
  await page.goto(tagsPage)
  const [former, later] = [newName('New'), newName('New')]
  await add(page, former)
  await expect(rowOf(page, former)).toBeVisible()
  await edit(page, former)
  await dialog(page).getByLabel('Name').fill(later)
  await dialog(page).getByRole('button', { name: 'Save' }).click()
  await expect(toast(page, 'Tag updated successfully!')).toBeVisible()
  await expect(rowOf(page, later)).toBeVisible()
  await expect(rowOf(page, former)).toHaveCount(0)
  const tags = async () =>
    ((await ask(page, getTenantTags, { body: { tenant } })).data as { tags: Tag[] }).tags.map((tag) => tag.name)
  expect(await tags()).toContain(later)

  const { data } = await ask(page, getTenantTags, { body: { tenant } })
  const { id } = (data as { tags: Tag[] }).tags.find((tag) => tag.name === later)!
  for (const email of ['guest@northgate.example', 'lighting@northgate.example', 'boiler@northgate.example']) {
    const other = await pageOf(email)
    await other.goto(tagsPage)
    await expect(rowOf(other, later)).toBeVisible()
    await expect(other.getByRole('button', { name: /^(Add|Edit|Delete)/ })).toHaveCount(0)
    const answers = [
      await ask(other, tenantCreateTag, { body: { tenant, name: newName('New') } }),
      await ask(other, tenantUpdateTag, { body: { tenant, id, name: newName('New') } }),
      await ask(other, tenantDeleteTag, { body: { tenant, id } }),
    ]
    expect(answers.map(({ status }) => status)).toEqual([403, 403, 403])
  }
  expect(await tags()).toContain(later)
  await remove(page, later)
  await expect(rowOf(page, later)).toHaveCount(0)
  expect(await tags()).not.toContain(later)
})

test('a tag that cannot be deleted stays, and its failure is said [core-7.4-3 core-8-22]', async ({
  pageOf,
  expectedErrors,
}) => {
  expectedErrors.push(consoleText(500))
  const page = await pageOf(manager)
  await page.goto(tagsPage)
  const name = newName('Stays')
  await add(page, name)
  await expect(rowOf(page, name)).toBeVisible()
  await answer(page, 'POST', '**/api/TenantDeleteTag', 500)
  await remove(page, name)
  await expect(toast(page, 'Failed to delete tag!')).toBeVisible()
  await expect(toast(page, 'Tag deleted!')).toHaveCount(0)
  await dialog(page).getByRole('button', { name: 'Cancel' }).click()
  await expect(rowOf(page, name)).toBeVisible()
  await page.unrouteAll()
  await remove(page, name)
  await expect(rowOf(page, name)).toHaveCount(0)
})

test("an alert's delay is shown as delay and unit [core-3-11]", async ({ pageOf }) => {
  const page = await pageOf(manager)
  await bend(page, '**/api/GetTenantTags', (answer: { data: { tags: Tag[]; alerts: unknown[] } }) => {
    const [first, second] = answer.data.tags
    answer.data.alerts = [
      { alertId: 'a', tagId: first!.id, tagName: first!.name, delay: 5, delayUnit: 'mins' },
      { alertId: 'b', tagId: second!.id, tagName: second!.name, delay: 2, delayUnit: 'days' },
    ]
  })
  await page.goto(tagsPage)
  const rows = page.locator('tbody tr[data-row]')
  await expect(rows.nth(0)).toContainText('5 mins')
  await expect(rows.nth(1)).toContainText('2 days')
  await expect(rows.nth(2)).not.toContainText(/mins|days/)
})

test('without tags it says No Tags, as without alerts; a list that does not load says something else [dev-2settings-11 dev-2settings-12 core-2.7-2 core-8-33]', async ({
  page,
  expectedErrors,
}) => {
  expectedErrors.push(consoleText(500))
  const client = await newClient(page, 'Bare Boards')
  await page.goto(`/${client.tenant}/Settings`)
  await expect(page.getByRole('grid', { name: 'Alerts' })).toBeVisible()
  await expect(page.getByRole('main').getByText('No Tags')).toBeVisible()
  await page.goto(`/${client.tenant}/Settings/tags`)
  await expect(page.getByRole('main').getByText('No Tags')).toBeVisible()
  await answer(page, 'POST', '**/api/GetTenantTags', 500)
  await page.reload()
  await expect(page.getByRole('main').getByText('Failed to Load')).toBeVisible()
  await expect(page.getByText('No Tags')).toHaveCount(0)
  await page.unrouteAll()
  await page.getByRole('button', { name: 'Retry' }).click()
  await expect(page.getByRole('main').getByText('No Tags')).toBeVisible()
})

test('a guest reads the settings and changes nothing [core-6-29 dev-2settings-10 dev-6other-12 est-5-38]', async ({
  pageOf,
}) => {
  const page = await pageOf('guest@northgate.example')
  for (const [address, name] of [
    [tagsPage, 'Tags'],
    [accessPage, 'Access rights tags'],
  ] as const) {
    await page.goto(address)
    await expect(page.getByRole('grid', { name }).locator('tbody tr[data-row]')).not.toHaveCount(0)
    await expect(page.getByRole('button', { name: /^(Add|Edit|Delete)/ })).toHaveCount(0)
  }
  // A developer who carries a tag sees the page, but may not add: the tag is what counts.
  const free = await pageOf(manager)
  await free.goto(tagsPage)
  await expect(free.getByRole('button', { name: /^Delete/ })).not.toHaveCount(0)
  await free.goto(accessPage)
  await expect(addAccess(free)).toBeVisible()
  await expect(free.getByRole('button', { name: /^Delete/ })).not.toHaveCount(0)
  const developer = await pageOf('dev@caretaker.example')
  let tags: string[] = []
  await bend(developer, '**/api/session', (session: { tenants: { id: string; tags: string[] }[] }) => {
    for (const one of session.tenants) one.tags = tags
  })
  await developer.goto(accessPage)
  await expect(addAccess(developer)).toBeVisible()
  tags = [randomUUID()]
  await developer.reload()
  await expect(rowOf(developer, 'East Patch')).toBeVisible()
  await expect(addAccess(developer)).toHaveCount(0)
})

test('a protected access rights tag has no delete [core-6-32 est-5-39]', async ({ pageOf }) => {
  const page = await pageOf(manager)
  const { data } = await accessRightsTagsOf(page)
  const [guarded] = data.filter((tag) => tag.protected)
  const [other] = data.filter((tag) => !tag.protected)
  await page.goto(accessPage)
  await expect(rowOf(page, guarded!.displayName)).toBeVisible()
  await expect(page.getByRole('button', { name: `Delete: ${guarded!.displayName}` })).toHaveCount(0)
  await expect(page.getByRole('button', { name: `Delete: ${other!.displayName}` })).toBeVisible()
})

async function accessRightsTagsOf(page: Page) {
  const { data } = await ask(page, getAccessRightsTags, { params: { tenant } })
  return { data: data as { id: string; displayName: string; protected: boolean }[] }
}

test('an access rights tag is created once, by its name without regard to case [core-7.4-2 core-8-23 core-8-27 est-8-2 est-2.5-21 est-2.5-22]', async ({
  pageOf,
  expectedErrors,
}) => {
  expectedErrors.push(consoleText(409))
  const page = await pageOf(manager)
  await page.goto(accessPage)
  const name = newName('Patch ')
  await add(page, name)
  await expect(toast(page, 'Tag created successfully!')).toBeVisible()
  await expect(rowOf(page, name)).toBeVisible()
  await add(page, name.toUpperCase())
  await expect(toast(page, 'Access Rights Tag already exists')).toBeVisible()
  await dialog(page).getByRole('button', { name: 'Cancel' }).click()
  await expect(rowOf(page, new RegExp(name, 'i'))).toHaveCount(1)
  await remove(page, name)
  await expect(toast(page, 'Tag deleted!')).toBeVisible()
  await expect(rowOf(page, name)).toHaveCount(0)
})

test('any other failure of an access rights tag goes wrong, and changes nothing [core-7.4-3 core-8-25 core-8-28 est-8-4]', async ({
  pageOf,
  expectedErrors,
}) => {
  expectedErrors.push(consoleText(500), consoleText(409))
  const page = await pageOf(manager)
  await page.goto(accessPage)
  await expect(rowOf(page, 'East Patch')).toBeVisible()
  await answer(page, 'POST', accessCalls, 500)
  const name = newName('Patch ')
  await add(page, name)
  await expect(toast(page, 'Something went wrong!')).toBeVisible()
  await expect(toast(page, 'already exists')).toHaveCount(0)
  await dialog(page).getByRole('button', { name: 'Cancel' }).click()
  await expect(rowOf(page, name)).toHaveCount(0)
  // A tag that somebody carries: the server says why it stays.
  await page.getByRole('button', { name: 'Dismiss' }).click()
  await expect(toast(page, 'Something went wrong!')).toHaveCount(0)
  await remove(page, 'East Patch')
  await expect(toast(page, 'Something went wrong!')).toBeVisible()
  await expect(dialog(page).getByRole('alert')).toBeVisible()
  await dialog(page).getByRole('button', { name: 'Cancel' }).click()
  await expect(rowOf(page, 'East Patch')).toBeVisible()
})

test('an access rights tag that is gone already counts as deleted [core-7.2-4]', async ({ pageOf, expectedErrors }) => {
  expectedErrors.push(consoleText(410))
  const page = await pageOf(manager)
  await page.goto(accessPage)
  const name = newName('Patch ')
  await add(page, name)
  await expect(rowOf(page, name)).toBeVisible()
  const { data } = await ask(page, getAccessRightsTags, { params: { tenant } })
  const { id } = (data as { id: string; displayName: string }[]).find((tag) => tag.displayName === name)!
  expect((await ask(page, deleteAccessRightsTag, { params: { tenant, id } })).status).toBe(204)
  const gone = page.waitForResponse((response) => response.request().method() === 'DELETE')
  await remove(page, name)
  expect((await gone).status()).toBe(410)
  await expect(rowOf(page, name)).toHaveCount(0)
  await expect(toast(page, 'Tag deleted!')).toBeVisible()
  await expect(toast(page, 'Something went wrong!')).toHaveCount(0)
})

test('the generic table: ten rows a page, sorted, filtered, paged, all of it in the address [dev-2list-44 dev-2list-45 dev-2list-46 dev-2list-47 dev-2list-48 dev-2list-49]', async ({
  pageOf,
}) => {
  const page = await pageOf(manager)
  const names = Array.from({ length: 23 }, (_, index) => `Tag${String(index + 1).padStart(2, '0')}`)
  await bend(page, '**/api/GetTenantTags', (answer: { data: { tags: Tag[] } }) => {
    answer.data.tags = names.map((name) => ({ id: name, name }))
  })
  await page.goto(tagsPage)
  const rows = page.locator('tbody tr[data-row]')
  const shown = () => rows.locator('td[data-named]').allInnerTexts()
  const press = (name: string) => page.getByRole('button', { name, exact: true }).click()
  await expect(rows).toHaveCount(10)
  await expect(page.getByText('1 - 10 of 23')).toBeVisible()
  await expect(page.getByRole('button', { name: 'First page' })).toBeDisabled()
  await expect(page.getByRole('button', { name: 'Previous page' })).toBeDisabled()
  await press('Next page')
  await expect(page.getByText('11 - 20 of 23')).toBeVisible()
  expect(await shown()).toEqual(names.slice(10, 20))
  await press('Last page')
  await expect(page.getByText('21 - 23 of 23')).toBeVisible()
  await expect(rows).toHaveCount(3)
  await expect(page.getByRole('button', { name: 'Next page' })).toBeDisabled()
  await press('Previous page')
  await expect(page.getByText('11 - 20 of 23')).toBeVisible()
  await page.reload()
  await expect(page.getByText('11 - 20 of 23')).toBeVisible()
  await press('First page')
  await expect(page.getByText('1 - 10 of 23')).toBeVisible()

  await press('Name')
  await press('Name')
  await expect(page.getByRole('columnheader', { name: 'Name' })).toHaveAttribute('aria-sort', 'descending')
  expect(await shown()).toEqual([...names].reverse().slice(0, 10))

  await expect(page.getByRole('button', { name: 'Clear' })).toBeDisabled()
  await filter(page).fill('tag1')
  await expect(page.getByText('1 - 10 of 10')).toBeVisible()
  expect(await shown()).toEqual(names.slice(9, 19).reverse())
  await filter(page).fill('nothing like it')
  await expect(page.getByRole('main').getByText('No data available')).toBeVisible()
  await expect(rows).toHaveCount(0)
  await page.getByRole('button', { name: 'Clear' }).click()
  await expect(filter(page)).toHaveValue('')
  await expect(page.getByText('1 - 10 of 23')).toBeVisible()
})

test('five rows can be pinned, which stay in sight on every page; a sixth cannot [core-2.7-3 core-2.7-4]', async ({
  pageOf,
}) => {
  const page = await pageOf(manager)
  await bend(page, '**/api/GetTenantTags', (answer: { data: { tags: Tag[] } }) => {
    answer.data.tags = Array.from({ length: 15 }, (_, index) => ({ id: `t${index}`, name: `Tag${index + 10}` }))
  })
  await page.goto(tagsPage)
  const pin = (name: string) => rowOf(page, name).getByRole('button', { name: /in row/ })
  for (const name of ['Tag12', 'Tag13', 'Tag14', 'Tag15', 'Tag16']) await pin(name).click()
  await expect(page.locator('tr[data-pinned]')).toHaveCount(5)
  await expect(pin('Tag17')).toHaveAttribute('aria-disabled', 'true')
  await pin('Tag17').click({ force: true })
  await expect(page.locator('tr[data-pinned]')).toHaveCount(5)
  await page.getByRole('button', { name: 'Next page' }).click()
  await expect(rowOf(page, 'Tag24')).toBeVisible()
  await expect(rowOf(page, 'Tag12')).toBeVisible()
  await pin('Tag12').click()
  await expect(rowOf(page, 'Tag12')).toHaveCount(0)
  await pin('Tag20').click()
  await expect(page.locator('tr[data-pinned]')).toHaveCount(5)
})

test.afterAll(async ({ browser, signedIn }) => {
  // What a failed test left behind.
  const context = await browser.newContext({ storageState: await signedIn(manager) })
  const page = await context.newPage()
  const { data } = await ask(page, getTenantTags, { body: { tenant } })
  for (const tag of (data as { tags: Tag[] }).tags.filter(({ name }) => /^(New|Stays)[0-9a-f]{8}$/.test(name)))
    await ask(page, tenantDeleteTag, { body: { tenant, id: tag.id } })
  await context.close()
})
