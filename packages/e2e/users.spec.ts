import type { Page } from '@playwright/test'
import { listUsers } from '@caretaker/contract/people.ts'
import type { Client } from './fixtures/clients.ts'
import { answer, choose, counted, measureVisibleTime, rowOf, toast } from './fixtures/lists.ts'
import { sidebar } from './fixtures/portal.ts'
import { consoleText, expect, test } from './fixtures/test.ts'

const listOf = ({ tenant }: Client) => `/api/tenants/${tenant}/users`
const dialog = (page: Page) => page.getByRole('dialog')
const action = (page: Page, name: string, what: 'Edit' | 'Delete' | 'Reset password') =>
  page.getByRole('button', { name: `${what}: ${name}` })

/** Opens the users of a client as a manager, or as someone else. */
async function openUsers(client: Client, ...who: Partial<Parameters<Client['pageOf']>>): Promise<Page> {
  const [member = 'Manager', options] = who
  const page = await client.pageOf(member, options)
  await page.goto(client.at('Users'))
  await expect(page.getByRole('grid', { name: 'Users' }).locator('tbody tr[data-row]')).not.toHaveCount(0)
  return page
}

/**
 * Opens the users once all changes of the fixtures have arrived on the change stream: it adds a user and waits until
 * they are listed. From then on, the list is fetched only if the page itself causes it.
 */
async function openCurrentUsers(client: Client): Promise<Page> {
  const page = await openUsers(client)
  await client.member('LightingEngineer')
  await expect(rowOf(page, 'Leo Hart')).toBeVisible()
  return page
}

/** The group that contains a row. */
const groupOf = (page: Page, name: string) =>
  rowOf(page, name).evaluate((row) => {
    let one = row.previousElementSibling
    while (one && !one.querySelector('th[scope=rowgroup]')) one = one.previousElementSibling
    return one?.querySelector('th')?.firstChild?.textContent?.trim()
  })

// For the actions of each role, texts and errors, see packages/web/src/features/people/users-page.component.test.tsx.
test('a changed role, tag or detail appears in the row without reloading the list [core-4.4-7 core-4.4-8 core-4.4-9 core-7.4-1]', async ({
  newClient,
}) => {
  const client = await newClient()
  await client.accessRightsTag('East Patch')
  await client.member('Guest')
  const page = await openCurrentUsers(client)
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
  // 'No restrictions' removes the tag.
  const sent = page.waitForRequest((request) => request.url().endsWith('/Tags'))
  await change(() => choose(page, 'Access rights tag', 'No restrictions'), 'Greta Jones')
  expect((await sent).postDataJSON()).toEqual({ tags: null })
  expect(await groupOf(page, 'Greta Jones')).toBe('No restrictions')
  expect(gets()).toBe(0)
  expect(calls.map((count) => count())).toEqual([1, 2, 1])
  // The server has stored what the row shows.
  await page.reload()
  await expect(rowOf(page, 'Greta Jones')).toContainText('greta@new.example')
  await expect(rowOf(page, 'Greta Jones')).toContainText('Lighting engineer')
})

test('users who may not administer users are refused the page and the e-mail addresses [core-1-5 core-2.4-51]', async ({
  newClient,
}) => {
  const client = await newClient()
  const guest = await client.member('Guest')
  const page = await client.pageOf(guest)
  await page.goto(client.at('Users'))
  await expect(page.getByRole('main').getByText("You don't have permission.")).toBeVisible()
  await expect(sidebar(page).getByRole('link', { name: 'Users' })).toHaveCount(0)
  const { results } = await client.call(listUsers, { params: { tenant: client.tenant } }, guest)
  expect(results.every(({ email }) => email === null)).toBe(true)
})

test('a password reset is e-mailed, and its success dialog closes by itself [core-2.7-1 est-8-14 est-8-15]', async ({
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
  const life = await measureVisibleTime(page, success, () => dialog(page).getByRole('button', { name: 'Send' }).click())
  expect(life).toBeGreaterThanOrEqual(1_425)
  expect(life).toBeLessThanOrEqual(1_575)
  await page.clock.resume()
  await expect(dialog(page)).toHaveCount(0)
  // The focus returns to where it was.
  await expect(action(page, 'Greta Vale', 'Reset password')).toBeFocused()
})
