import { randomUUID } from 'node:crypto'
import type { Page } from '@playwright/test'
import { listUsers } from '@caretaker/contract/people.ts'
import type { User } from '@caretaker/contract/people.ts'
import { ask } from './fixtures/api.ts'
import { answer, choose, counted, lifeOf, rowOf, toast } from './fixtures/lists.ts'
import { sidebar } from './fixtures/portal.ts'
import { consoleText, expect, test } from './fixtures/test.ts'

const manager = 'manager@northgate.example'
const list = '/api/tenants/northgate/users'
const everyChange = `**${list}/**`
const dialog = (page: Page) => page.getByRole('dialog')
const action = (page: Page, name: string, what: 'Edit' | 'Delete' | 'Reset password') =>
  page.getByRole('button', { name: `${what}: ${name}` })

async function openUsers(page: Page, tenant = 'northgate'): Promise<void> {
  await page.goto(`/${tenant}/Users`)
  await expect(page.getByRole('grid', { name: 'Users' }).locator('tbody tr[data-row]')).not.toHaveCount(0)
}

/** Fills in the form for a new user, and leaves it open. */
async function fillNewUser(page: Page, name: string, { role = 'Guest', tag = 'No restrictions' } = {}) {
  const email = `${name.toLowerCase().replaceAll(' ', '.')}@new.example`
  await page.getByRole('button', { name: 'Create user' }).click()
  await dialog(page).getByLabel('Name').fill(name)
  await dialog(page).getByLabel('E-mail').fill(email)
  await choose(page, 'Role', role)
  if (tag !== 'No restrictions') await choose(page, 'Access rights tag', tag)
  return email
}

/** A user of the test's own, whom no other test touches. */
async function newUser(page: Page, more: { role?: string; tag?: string } = {}): Promise<string> {
  const name = `Una Test ${randomUUID().slice(0, 8)}`
  await fillNewUser(page, name, more)
  await dialog(page).getByRole('button', { name: 'Create' }).click()
  await expect(rowOf(page, name)).toBeVisible()
  await expect(dialog(page)).toHaveCount(0)
  return name
}

async function removeUser(page: Page, name: string): Promise<void> {
  await action(page, name, 'Delete').click()
  await dialog(page).getByRole('button', { name: 'Delete' }).click()
  await expect(rowOf(page, name)).toHaveCount(0)
}

/** The group in which a row stands. */
const groupOf = (page: Page, name: string) =>
  rowOf(page, name).evaluate((row) => {
    let one = row.previousElementSibling
    while (one && !one.querySelector('th[scope=rowgroup]')) one = one.previousElementSibling
    return one?.querySelector('th')?.firstChild?.textContent?.trim()
  })

test('the users stand in groups of their restrictions, the vendor staff in one of their own [core-2.4-50 core-6-39 est-9-33]', async ({
  pageOf,
}) => {
  const page = await pageOf(manager)
  await page.goto('/northgate/Dashboard')
  await sidebar(page).getByRole('link', { name: 'Users' }).click()
  await expect(page).toHaveURL('/northgate/Users')
  const table = page.getByRole('grid', { name: 'Users' })
  for (const head of ['Name', 'E-mail', 'Role', 'Access rights tag', 'Actions'])
    await expect(table.getByRole('columnheader', { name: head })).toBeVisible()
  const groups = table.locator('th[scope=rowgroup]')
  await expect(groups.first()).toContainText('No restrictions')
  await expect(groups.last()).toContainText('Vendor staff')
  expect(await groupOf(page, 'Grace Okafor')).toBe('No restrictions')
  expect(await groupOf(page, 'Dean Sutcliffe')).toBe('East Patch')
  for (const name of ['Morgan Ellis', 'Helen Whitaker']) expect(await groupOf(page, name)).toBe('Vendor staff')
  // By the domain of the e-mail address, and not by the role.
  await page.route(`**${list}`, async (route) => {
    if (route.request().method() !== 'GET') return route.fallback()
    const response = await route.fetch()
    const body = (await response.json()) as { results: User[] }
    for (const user of body.results) user.isVendorStaff = user.name === 'Grace Okafor'
    return route.fulfill({ response, json: body })
  })
  await page.reload()
  await expect(groups.last()).toContainText('Vendor staff')
  expect(await groupOf(page, 'Grace Okafor')).toBe('Vendor staff')
  expect(await groupOf(page, 'Morgan Ellis')).toBe('No restrictions')
})

test('only those who may administer users have the screen [core-1-5 core-2.3-26 core-2.4-51]', async ({ pageOf }) => {
  for (const who of ['guest', 'lighting', 'boiler']) {
    const page = await pageOf(`${who}@northgate.example`)
    const asked = counted(page, 'GET', list)
    await page.goto('/northgate/Users')
    await expect(page.getByRole('main').getByText("You don't have permission.")).toBeVisible()
    await expect(sidebar(page).getByRole('link', { name: 'Dashboard' })).toBeVisible()
    await expect(sidebar(page).getByRole('link', { name: 'Users' })).toHaveCount(0)
    await expect(page.getByRole('grid')).toHaveCount(0)
    expect(asked()).toBe(0)
  }
  const allowed = await pageOf(manager)
  await openUsers(allowed)
  await expect(sidebar(allowed).getByRole('link', { name: 'Users' })).toBeVisible()
})

test('a user is created by one call, and the list is fetched again [core-7.3-3 core-4.4-6 core-7.4-1]', async ({
  pageOf,
}) => {
  const page = await pageOf(manager)
  await openUsers(page)
  const name = `Una Test ${randomUUID().slice(0, 8)}`
  const email = await fillNewUser(page, name, { role: 'Boiler engineer', tag: 'East Patch' })
  const [posts, gets] = [counted(page, 'POST', list), counted(page, 'GET', list)]
  const sent = page.waitForRequest((request) => request.method() === 'POST' && request.url().endsWith(list))
  await dialog(page).getByRole('button', { name: 'Create' }).click()
  const body = (await sent).postDataJSON() as { tags: { value: string }[] }
  expect(body).toEqual({
    name,
    email,
    role: 'BoilerEngineer',
    tags: [{ type: 'AccessRight', value: body.tags[0]?.value }],
  })
  expect(body.tags[0]?.value).toMatch(/^[0-9a-f-]{36}$/)
  await expect(toast(page, 'User created successfully!')).toBeVisible()
  await expect(rowOf(page, name)).toContainText(email)
  await expect(rowOf(page, name)).toContainText('Boiler engineer')
  expect(await groupOf(page, name)).toBe('East Patch')
  await expect(dialog(page)).toHaveCount(0)
  expect(posts()).toBe(1)
  expect(gets()).toBe(1)
  await removeUser(page, name)
})

test('neither Developer nor Admin can be chosen as role; no restrictions can be chosen [core-6-34 core-6-38]', async ({
  pageOf,
}) => {
  const page = await pageOf('dev@caretaker.example')
  await openUsers(page)
  await page.getByRole('button', { name: 'Create user' }).click()
  await page.getByRole('combobox', { name: 'Role' }).click()
  await expect(page.getByRole('option')).toHaveText(['Lighting engineer', 'Boiler engineer', 'Manager', 'Guest'])
  await page.getByRole('option', { name: 'Guest' }).click()
  await page.getByRole('combobox', { name: 'Access rights tag' }).click()
  await expect(page.getByRole('option', { name: 'No restrictions' })).toBeVisible()
  await expect(page.getByRole('option', { name: 'East Patch' })).toBeVisible()

  // Who is restricted hands on no more than they have.
  const limited = await pageOf('limited@northgate.example')
  await openUsers(limited)
  await limited.getByRole('button', { name: 'Create user' }).click()
  await limited.getByRole('combobox', { name: 'Access rights tag' }).click()
  await expect(limited.getByRole('option')).toHaveText(['East Patch'])
})

test('a role, a tag and details that are changed appear in the row without the list being fetched again [core-4.4-7 core-4.4-8 core-4.4-9 core-7.4-1]', async ({
  pageOf,
}) => {
  const page = await pageOf(manager)
  await openUsers(page)
  const name = await newUser(page)
  const gets = counted(page, 'GET', list)
  const calls = [/\/Roles$/, /\/Tags$/, /\/UserDetails$/].map((path) => counted(page, 'PUT', path))
  const change = async (fill: () => Promise<void>, now = name) => {
    await action(page, now, 'Edit').click()
    await fill()
    await dialog(page).getByRole('button', { name: 'Save' }).click()
    await expect(dialog(page)).toHaveCount(0)
    await expect(toast(page, 'User updated successfully!').last()).toBeVisible()
  }
  await change(() => choose(page, 'Role', 'Lighting engineer'))
  await expect(rowOf(page, name)).toContainText('Lighting engineer')
  await change(() => choose(page, 'Access rights tag', 'East Patch'))
  await expect(rowOf(page, name)).toContainText('East Patch')
  expect(await groupOf(page, name)).toBe('East Patch')
  const renamed = `${name} Jones`
  const email = `Una.${randomUUID().slice(0, 8)}@New.example`
  await change(async () => {
    await dialog(page).getByLabel('Name').fill(renamed)
    await dialog(page).getByLabel('E-mail').fill(email)
  })
  await expect(rowOf(page, renamed)).toContainText(email.toLowerCase())
  // 'No restrictions' takes the tag away.
  const sent = page.waitForRequest((request) => request.url().endsWith('/Tags'))
  await change(() => choose(page, 'Access rights tag', 'No restrictions'), renamed)
  expect((await sent).postDataJSON()).toEqual({ tags: null })
  expect(await groupOf(page, renamed)).toBe('No restrictions')
  expect(gets()).toBe(0)
  expect(calls.map((count) => count())).toEqual([1, 2, 1])
  // The server holds what the row shows.
  await page.reload()
  await expect(rowOf(page, renamed)).toContainText(email.toLowerCase())
  await expect(rowOf(page, renamed)).toContainText('Lighting engineer')
  await removeUser(page, renamed)
})

test('a deleted user goes from the list without its being fetched again, after a question [core-4.4-10 core-7.4-1]', async ({
  pageOf,
}) => {
  const page = await pageOf(manager)
  await openUsers(page)
  const name = await newUser(page)
  const gets = counted(page, 'GET', list)
  const deletes = counted(page, 'DELETE', new RegExp(`^${list}/`))
  await action(page, name, 'Delete').click()
  await dialog(page).getByRole('button', { name: 'Cancel' }).click()
  await expect(rowOf(page, name)).toBeVisible()
  expect(deletes()).toBe(0)
  await action(page, name, 'Delete').click()
  await dialog(page).getByRole('button', { name: 'Delete' }).click()
  await expect(rowOf(page, name)).toHaveCount(0)
  await expect(toast(page, 'User deleted!')).toBeVisible()
  expect([deletes(), gets()]).toEqual([1, 0])
  const { data } = await ask(page, listUsers, { params: { tenant: 'northgate' } })
  expect((data as { results: User[] }).results.map((user) => user.name)).not.toContain(name)
})

test('a failed change says which one it was, and leaves the list as it is [core-7.4-3 core-8-16 core-8-17 core-8-18 core-8-19 core-8-20 core-5-10]', async ({
  pageOf,
  expectedErrors,
}) => {
  expectedErrors.push(consoleText(500))
  const page = await pageOf(manager)
  await openUsers(page)
  const name = await newUser(page)
  const before = await page.locator('tbody').innerText()
  await answer(page, 'POST', `**${list}`, 500)
  for (const method of ['PUT', 'DELETE']) await answer(page, method, everyChange, 500)

  const other = `Una Test ${randomUUID().slice(0, 8)}`
  await fillNewUser(page, other)
  await dialog(page).getByRole('button', { name: 'Create' }).click()
  await expect(toast(page, 'Failed to create user!')).toBeVisible()
  await expect(dialog(page).getByRole('alert')).toHaveText('Server error.')
  await dialog(page).getByRole('button', { name: 'Cancel' }).click()

  await action(page, name, 'Edit').click()
  await dialog(page).getByLabel('Name').fill('Somebody else')
  await choose(page, 'Role', 'Lighting engineer')
  await choose(page, 'Access rights tag', 'East Patch')
  await dialog(page).getByRole('button', { name: 'Save' }).click()
  await expect(toast(page, 'Failed to update user details!')).toBeVisible()
  await expect(toast(page, 'Failed to update user role!')).toBeVisible()
  await expect(toast(page, 'Failed to update user tag!')).toBeVisible()
  await expect(toast(page, 'User updated successfully!')).toHaveCount(0)
  await dialog(page).getByRole('button', { name: 'Cancel' }).click()

  await action(page, name, 'Delete').click()
  await dialog(page).getByRole('button', { name: 'Delete' }).click()
  await expect(toast(page, 'Failed to delete user.')).toBeVisible()
  await dialog(page).getByRole('button', { name: 'Cancel' }).click()
  expect(await page.locator('tbody').innerText()).toBe(before)
  await page.unrouteAll()
  await removeUser(page, name)
})

test('of several changes those that worked are kept, and the form says what did not [core-4.4-8 core-8-17]', async ({
  pageOf,
  expectedErrors,
}) => {
  expectedErrors.push(consoleText(422))
  const page = await pageOf(manager)
  await openUsers(page)
  const name = await newUser(page)
  await answer(page, 'PUT', '**/Tags', 422, { message: 'Not today.', domainErrors: [], validationErrors: [] })
  await action(page, name, 'Edit').click()
  await choose(page, 'Role', 'Manager')
  await choose(page, 'Access rights tag', 'East Patch')
  await dialog(page).getByRole('button', { name: 'Save' }).click()
  await expect(toast(page, 'Failed to update user tag!')).toBeVisible()
  await expect(dialog(page).getByRole('alert')).toHaveText('Not today.')
  await dialog(page).getByRole('button', { name: 'Cancel' }).click()
  await expect(rowOf(page, name)).toContainText('Manager')
  await expect(rowOf(page, name)).toContainText('No restrictions')
  await page.unrouteAll()
  await removeUser(page, name)
})

test('a list of users that does not load says so, and can be asked for again [core-2.7-2 core-8-12 core-8-33 est-8-22]', async ({
  pageOf,
  expectedErrors,
}) => {
  expectedErrors.push(consoleText(500))
  const page = await pageOf(manager)
  await answer(page, 'GET', `**${list}`, 500)
  await page.goto('/northgate/Users')
  await expect(page.getByRole('main').getByText('Failed to Load')).toBeVisible()
  await expect(toast(page, 'An error occurred while fetching users.')).toBeVisible()
  await expect(page.getByText('No data available')).toHaveCount(0)
  await expect(page.locator('tbody tr[data-row]')).toHaveCount(0)
  await page.unrouteAll()
  await page.getByRole('button', { name: 'Retry' }).click()
  await expect(rowOf(page, 'Grace Okafor')).toBeVisible()
  await expect(page.getByText('Failed to Load')).toHaveCount(0)
})

test('vendor staff can be changed only while SystemDebug is on [core-6-40 core-6-41]', async ({ pageOf }) => {
  const page = await pageOf('dev@caretaker.example')
  const actions = ['Edit', 'Delete', 'Reset password'] as const
  await openUsers(page, 'meridian')
  for (const what of actions) await expect(action(page, 'Helen Whitaker', what)).toBeVisible()
  await openUsers(page, 'northgate')
  await expect(rowOf(page, 'Helen Whitaker')).toBeVisible()
  for (const what of actions) await expect(action(page, 'Helen Whitaker', what)).toHaveCount(0)
  for (const what of actions) await expect(action(page, 'Grace Okafor', what)).toBeVisible()
})

test('nobody changes themselves, nor somebody of a higher role', async ({ pageOf }) => {
  const page = await pageOf(manager)
  await openUsers(page)
  await expect(rowOf(page, 'Grace Okafor').getByRole('button', { name: /Edit/ })).toBeVisible()
  for (const name of ['Priya Nair', 'Morgan Ellis', 'Helen Whitaker'])
    await expect(rowOf(page, name).getByRole('button', { name: /Edit|Delete|Reset/ })).toHaveCount(0)
})

test('a password reset is mailed, and its success dialog closes by itself [core-2.7-1 est-8-14 est-8-15]', async ({
  pageOf,
  expectedErrors,
}) => {
  expectedErrors.push(consoleText(503))
  const page = await pageOf(manager)
  await openUsers(page)
  await answer(page, 'POST', '**/PasswordReset', 503)
  await action(page, 'Grace Okafor', 'Reset password').click()
  await dialog(page).getByRole('button', { name: 'Send' }).click()
  await expect(toast(page, 'Failed to send password reset')).toBeVisible()
  await expect(page.getByText('Password reset sent successfully')).toHaveCount(0)
  await page.unrouteAll()
  const success = dialog(page).getByText('Password reset sent successfully')
  const life = await lifeOf(page, success, () => dialog(page).getByRole('button', { name: 'Send' }).click())
  expect(life).toBeGreaterThanOrEqual(1_425)
  expect(life).toBeLessThanOrEqual(1_575)
  await page.clock.resume()
  await expect(dialog(page)).toHaveCount(0)
  // The person who pressed is back where they were.
  await expect(action(page, 'Grace Okafor', 'Reset password')).toBeFocused()
})

test('on a phone everything that can be done is in reach', async ({ pageOf }) => {
  const page = await pageOf(manager, { viewport: { width: 390, height: 844 } })
  await openUsers(page)
  await page.getByRole('button', { name: 'Actions: Grace Okafor' }).click()
  for (const what of ['Reset password', 'Edit', 'Delete'])
    await expect(page.getByRole('menuitem', { name: what })).toBeVisible()
  await page.getByRole('menuitem', { name: 'Edit' }).click()
  await expect(dialog(page).getByLabel('Name')).toHaveValue('Grace Okafor')
  await page.keyboard.press('Escape')
  await expect(dialog(page)).toHaveCount(0)
  await page.getByRole('button', { name: 'Create user' }).click()
  await expect(dialog(page).getByLabel('Name')).toBeFocused()
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390)
})
