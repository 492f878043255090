import type { Page } from '@playwright/test'
import { listUsers } from '@caretaker/contract/people.ts'
import type { User } from '@caretaker/contract/people.ts'
import type { Client } from './fixtures/clients.ts'
import { answer, choose, counted, lifeOf, rowOf, toast } from './fixtures/lists.ts'
import { bend, sidebar } from './fixtures/portal.ts'
import { consoleText, expect, test } from './fixtures/test.ts'

const listOf = ({ tenant }: Client) => `/api/tenants/${tenant}/users`
const dialog = (page: Page) => page.getByRole('dialog')
const action = (page: Page, name: string, what: 'Edit' | 'Delete' | 'Reset password') =>
  page.getByRole('button', { name: `${what}: ${name}` })

/** The users of a client as a manager, or someone else, sees them. */
async function openUsers(client: Client, ...who: Partial<Parameters<Client['pageOf']>>): Promise<Page> {
  const [member = 'Manager', options] = who
  const page = await client.pageOf(member, options)
  await page.goto(client.at('Users'))
  await expect(page.getByRole('grid', { name: 'Users' }).locator('tbody tr[data-row]')).not.toHaveCount(0)
  return page
}

/**
 * The same once nothing of what the fixtures did is still to arrive by the change stream: a user who is added now is in the list. From here on
 * a fetch of the list is due to the page itself.
 */
async function openSettledUsers(client: Client): Promise<Page> {
  const page = await openUsers(client)
  await client.member('LightingEngineer')
  await expect(rowOf(page, 'Leo Hart')).toBeVisible()
  return page
}

/** Fills in the form for a new user, and leaves it open. */
async function fillNewUser(page: Page, { role = 'Guest', tag = 'No restrictions' } = {}): Promise<void> {
  await page.getByRole('button', { name: 'Create user' }).click()
  await dialog(page).getByLabel('Name').fill('Una Test')
  await dialog(page).getByLabel('E-mail').fill('una.test@new.example')
  await choose(page, 'Role', role)
  if (tag !== 'No restrictions') await choose(page, 'Access rights tag', tag)
}

/** The group in which a row stands. */
const groupOf = (page: Page, name: string) =>
  rowOf(page, name).evaluate((row) => {
    let one = row.previousElementSibling
    while (one && !one.querySelector('th[scope=rowgroup]')) one = one.previousElementSibling
    return one?.querySelector('th')?.firstChild?.textContent?.trim()
  })

test('the users stand in groups of their restrictions, the vendor staff in one of their own [core-2.4-50 core-6-39 est-9-33]', async ({
  newClient,
}) => {
  const client = await newClient()
  const tag = await client.accessRightsTag('East Patch')
  await client.member('Guest')
  await client.member('Manager', { name: 'Dean Short', tag })
  for (const role of ['Admin', 'Developer'] as const) await client.member(role)
  const page = await client.pageOf('Manager')
  await page.goto(client.at('Dashboard'))
  await sidebar(page).getByRole('link', { name: 'Users' }).click()
  await expect(page).toHaveURL(client.at('Users'))
  const table = page.getByRole('grid', { name: 'Users' })
  for (const head of ['Name', 'E-mail', 'Role', 'Access rights tag', 'Actions'])
    await expect(table.getByRole('columnheader', { name: head })).toBeVisible()
  const groups = table.locator('th[scope=rowgroup]')
  await expect(groups.first()).toContainText('No restrictions')
  await expect(groups.last()).toContainText('Vendor staff')
  expect(await groupOf(page, 'Greta Vale')).toBe('No restrictions')
  expect(await groupOf(page, 'Dean Short')).toBe('East Patch')
  for (const name of ['Alma Reid', 'Dora Flint']) expect(await groupOf(page, name)).toBe('Vendor staff')
  // By the domain of the e-mail address, and not by the role.
  await bend(page, `**${listOf(client)}`, ({ results }: { results: User[] }) => {
    for (const user of results) user.isVendorStaff = user.name === 'Greta Vale'
  })
  await page.reload()
  await expect(groups.last()).toContainText('Vendor staff')
  expect(await groupOf(page, 'Greta Vale')).toBe('Vendor staff')
  expect(await groupOf(page, 'Dora Flint')).toBe('No restrictions')
})

test('only those who may administer users have the screen [core-1-5 core-2.3-26 core-2.4-51]', async ({
  newClient,
}) => {
  const client = await newClient()
  for (const role of ['Guest', 'LightingEngineer', 'BoilerEngineer'] as const) {
    const page = await client.pageOf(role)
    const asked = counted(page, 'GET', listOf(client))
    await page.goto(client.at('Users'))
    await expect(page.getByRole('main').getByText("You don't have permission.")).toBeVisible()
    await expect(sidebar(page).getByRole('link', { name: 'Dashboard' })).toBeVisible()
    await expect(sidebar(page).getByRole('link', { name: 'Users' })).toHaveCount(0)
    await expect(page.getByRole('grid')).toHaveCount(0)
    expect(asked()).toBe(0)
  }
  const allowed = await openUsers(client)
  await expect(sidebar(allowed).getByRole('link', { name: 'Users' })).toBeVisible()
})

test('a user is created by one call, and the list is fetched again [core-7.3-3 core-4.4-6 core-7.4-1]', async ({
  newClient,
}) => {
  const client = await newClient()
  const tag = await client.accessRightsTag('East Patch')
  const list = listOf(client)
  const page = await openUsers(client)
  await fillNewUser(page, { role: 'Boiler engineer', tag: 'East Patch' })
  const [posts, gets] = [counted(page, 'POST', list), counted(page, 'GET', list)]
  const sent = page.waitForRequest((request) => request.method() === 'POST' && request.url().endsWith(list))
  await dialog(page).getByRole('button', { name: 'Create' }).click()
  expect((await sent).postDataJSON()).toEqual({
    name: 'Una Test',
    email: 'una.test@new.example',
    role: 'BoilerEngineer',
    tags: [{ type: 'AccessRight', value: tag.id }],
  })
  await expect(toast(page, 'User created successfully!')).toBeVisible()
  await expect(rowOf(page, 'Una Test')).toContainText('una.test@new.example')
  await expect(rowOf(page, 'Una Test')).toContainText('Boiler engineer')
  expect(await groupOf(page, 'Una Test')).toBe('East Patch')
  await expect(dialog(page)).toHaveCount(0)
  expect(posts()).toBe(1)
  expect(gets()).toBe(1)
})

test('neither Developer nor Admin can be chosen as role; no restrictions can be chosen [core-6-34 core-6-38]', async ({
  newClient,
}) => {
  const client = await newClient()
  const tag = await client.accessRightsTag('East Patch')
  const page = await openUsers(client, 'Developer')
  await page.getByRole('button', { name: 'Create user' }).click()
  await page.getByRole('combobox', { name: 'Role' }).click()
  await expect(page.getByRole('option')).toHaveText(['Lighting engineer', 'Boiler engineer', 'Manager', 'Guest'])
  await page.getByRole('option', { name: 'Guest' }).click()
  await page.getByRole('combobox', { name: 'Access rights tag' }).click()
  await expect(page.getByRole('option', { name: 'No restrictions' })).toBeVisible()
  await expect(page.getByRole('option', { name: 'East Patch' })).toBeVisible()

  // Restricted users grant no more than they have.
  const limited = await openUsers(client, await client.member('Manager', { tag }))
  await limited.getByRole('button', { name: 'Create user' }).click()
  await limited.getByRole('combobox', { name: 'Access rights tag' }).click()
  await expect(limited.getByRole('option')).toHaveText(['East Patch'])
})

test('a role, a tag and details that are changed appear in the row without the list being fetched again [core-4.4-7 core-4.4-8 core-4.4-9 core-7.4-1]', async ({
  newClient,
}) => {
  const client = await newClient()
  await client.accessRightsTag('East Patch')
  await client.member('Guest')
  const page = await openSettledUsers(client)
  const gets = counted(page, 'GET', listOf(client))
  const calls = [/\/Roles$/, /\/Tags$/, /\/UserDetails$/].map((path) => counted(page, 'PUT', path))
  const change = async (fill: () => Promise<void>, name = 'Greta Vale') => {
    await action(page, name, 'Edit').click()
    await fill()
    await dialog(page).getByRole('button', { name: 'Save' }).click()
    await expect(dialog(page)).toHaveCount(0)
    await expect(toast(page, 'User updated successfully!').last()).toBeVisible()
  }
  await change(() => choose(page, 'Role', 'Lighting engineer'))
  await expect(rowOf(page, 'Greta Vale')).toContainText('Lighting engineer')
  await change(() => choose(page, 'Access rights tag', 'East Patch'))
  await expect(rowOf(page, 'Greta Vale')).toContainText('East Patch')
  expect(await groupOf(page, 'Greta Vale')).toBe('East Patch')
  await change(async () => {
    await dialog(page).getByLabel('Name').fill('Greta Jones')
    await dialog(page).getByLabel('E-mail').fill('Greta@New.example')
  })
  await expect(rowOf(page, 'Greta Jones')).toContainText('greta@new.example')
  // 'No restrictions' takes the tag away.
  const sent = page.waitForRequest((request) => request.url().endsWith('/Tags'))
  await change(() => choose(page, 'Access rights tag', 'No restrictions'), 'Greta Jones')
  expect((await sent).postDataJSON()).toEqual({ tags: null })
  expect(await groupOf(page, 'Greta Jones')).toBe('No restrictions')
  expect(gets()).toBe(0)
  expect(calls.map((count) => count())).toEqual([1, 2, 1])
  // The server holds what the row shows.
  await page.reload()
  await expect(rowOf(page, 'Greta Jones')).toContainText('greta@new.example')
  await expect(rowOf(page, 'Greta Jones')).toContainText('Lighting engineer')
})

test('a deleted user goes from the list without its being fetched again, after a question [core-4.4-10 core-7.4-1]', async ({
  newClient,
}) => {
  const client = await newClient()
  await client.member('Guest')
  const page = await openSettledUsers(client)
  const gets = counted(page, 'GET', listOf(client))
  const deletes = counted(page, 'DELETE', new RegExp(`^${listOf(client)}/`))
  await action(page, 'Greta Vale', 'Delete').click()
  await dialog(page).getByRole('button', { name: 'Cancel' }).click()
  await expect(rowOf(page, 'Greta Vale')).toBeVisible()
  expect(deletes()).toBe(0)
  await action(page, 'Greta Vale', 'Delete').click()
  await dialog(page).getByRole('button', { name: 'Delete' }).click()
  await expect(rowOf(page, 'Greta Vale')).toHaveCount(0)
  await expect(toast(page, 'User deleted!')).toBeVisible()
  expect([deletes(), gets()]).toEqual([1, 0])
  const { results } = await client.call(listUsers, { params: { tenant: client.tenant } })
  expect(results.map(({ name }) => name)).toEqual(['Ada Marsh', 'Leo Hart'])
})

test('a failed change says which one it was, and leaves the list as it is [core-7.4-3 core-8-16 core-8-17 core-8-18 core-8-19 core-8-20 core-5-10]', async ({
  newClient,
  expectedErrors,
}) => {
  expectedErrors.push(consoleText(500))
  const client = await newClient()
  await client.accessRightsTag('East Patch')
  await client.member('Guest')
  const page = await openUsers(client)
  const before = await page.locator('tbody').innerText()
  await answer(page, 'POST', `**${listOf(client)}`, 500)
  for (const method of ['PUT', 'DELETE']) await answer(page, method, `**${listOf(client)}/**`, 500)

  await fillNewUser(page)
  await dialog(page).getByRole('button', { name: 'Create' }).click()
  await expect(toast(page, 'Failed to create user!')).toBeVisible()
  await expect(dialog(page).getByRole('alert')).toHaveText('Server error.')
  await dialog(page).getByRole('button', { name: 'Cancel' }).click()

  await action(page, 'Greta Vale', 'Edit').click()
  await dialog(page).getByLabel('Name').fill('Someone else')
  await choose(page, 'Role', 'Lighting engineer')
  await choose(page, 'Access rights tag', 'East Patch')
  await dialog(page).getByRole('button', { name: 'Save' }).click()
  await expect(toast(page, 'Failed to update user details!')).toBeVisible()
  await expect(toast(page, 'Failed to update user role!')).toBeVisible()
  await expect(toast(page, 'Failed to update user tag!')).toBeVisible()
  await expect(toast(page, 'User updated successfully!')).toHaveCount(0)
  await dialog(page).getByRole('button', { name: 'Cancel' }).click()

  await action(page, 'Greta Vale', 'Delete').click()
  await dialog(page).getByRole('button', { name: 'Delete' }).click()
  await expect(toast(page, 'Failed to delete user.')).toBeVisible()
  await dialog(page).getByRole('button', { name: 'Cancel' }).click()
  expect(await page.locator('tbody').innerText()).toBe(before)
})

test('of several changes those that worked are kept, and the form says what did not [core-4.4-8 core-8-17]', async ({
  newClient,
  expectedErrors,
}) => {
  expectedErrors.push(consoleText(422))
  const client = await newClient()
  await client.accessRightsTag('East Patch')
  await client.member('Guest')
  const page = await openUsers(client)
  await answer(page, 'PUT', '**/Tags', 422, { message: 'Not today.', domainErrors: [], validationErrors: [] })
  await action(page, 'Greta Vale', 'Edit').click()
  await choose(page, 'Role', 'Manager')
  await choose(page, 'Access rights tag', 'East Patch')
  await dialog(page).getByRole('button', { name: 'Save' }).click()
  await expect(toast(page, 'Failed to update user tag!')).toBeVisible()
  await expect(dialog(page).getByRole('alert')).toHaveText('Not today.')
  await dialog(page).getByRole('button', { name: 'Cancel' }).click()
  await expect(rowOf(page, 'Greta Vale')).toContainText('Manager')
  await expect(rowOf(page, 'Greta Vale')).toContainText('No restrictions')
})

test('a list of users that does not load says so, and can be asked for again [core-2.7-2 core-8-12 core-8-33 est-8-22]', async ({
  newClient,
  expectedErrors,
}) => {
  expectedErrors.push(consoleText(500))
  const client = await newClient()
  const page = await client.pageOf('Manager')
  await answer(page, 'GET', `**${listOf(client)}`, 500)
  await page.goto(client.at('Users'))
  await expect(page.getByRole('main').getByText('Failed to Load')).toBeVisible()
  await expect(toast(page, 'An error occurred while fetching users.')).toBeVisible()
  await expect(page.getByText('No data available')).toHaveCount(0)
  await expect(page.locator('tbody tr[data-row]')).toHaveCount(0)
  await page.unrouteAll()
  await page.getByRole('button', { name: 'Retry' }).click()
  await expect(rowOf(page, 'Ada Marsh')).toBeVisible()
  await expect(page.getByText('Failed to Load')).toHaveCount(0)
})

test('vendor staff can be changed only while SystemDebug is on [core-6-40 core-6-41]', async ({ newClient }) => {
  const actions = ['Edit', 'Delete', 'Reset password'] as const
  for (const features of [['SystemDebug'], []] as const) {
    const client = await newClient({ features })
    await client.member('Admin')
    const page = await openUsers(client, 'Developer')
    await expect(rowOf(page, 'Alma Reid')).toBeVisible()
    for (const what of actions) await expect(action(page, 'Alma Reid', what)).toHaveCount(features.length)
    for (const what of actions) await expect(action(page, 'Ada Marsh', what)).toBeVisible()
  }
})

test('nobody changes themselves, nor someone of a higher role', async ({ newClient }) => {
  const client = await newClient()
  for (const role of ['Guest', 'Admin', 'Developer'] as const) await client.member(role)
  const page = await openUsers(client)
  await expect(rowOf(page, 'Greta Vale').getByRole('button', { name: /Edit/ })).toBeVisible()
  for (const name of ['Ada Marsh', 'Alma Reid', 'Dora Flint'])
    await expect(rowOf(page, name).getByRole('button', { name: /Edit|Delete|Reset/ })).toHaveCount(0)
})

test('a password reset is mailed, and its success dialog closes by itself [core-2.7-1 est-8-14 est-8-15]', async ({
  newClient,
  expectedErrors,
}) => {
  expectedErrors.push(consoleText(503))
  const client = await newClient()
  await client.member('Guest')
  const page = await openUsers(client)
  await answer(page, 'POST', '**/PasswordReset', 503)
  await action(page, 'Greta Vale', 'Reset password').click()
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
  await expect(action(page, 'Greta Vale', 'Reset password')).toBeFocused()
})

test('on a phone everything that can be done is in reach', async ({ newClient }) => {
  const client = await newClient()
  await client.member('Guest')
  const page = await openUsers(client, 'Manager', { viewport: { width: 390, height: 844 } })
  await page.getByRole('button', { name: 'Actions: Greta Vale' }).click()
  for (const what of ['Reset password', 'Edit', 'Delete'])
    await expect(page.getByRole('menuitem', { name: what })).toBeVisible()
  await page.getByRole('menuitem', { name: 'Edit' }).click()
  await expect(dialog(page).getByLabel('Name')).toHaveValue('Greta Vale')
  await page.keyboard.press('Escape')
  await expect(dialog(page)).toHaveCount(0)
  await page.getByRole('button', { name: 'Create user' }).click()
  await expect(dialog(page).getByLabel('Name')).toBeFocused()
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390)
})
