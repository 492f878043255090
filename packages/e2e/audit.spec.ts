import { randomUUID } from 'node:crypto'
import type { Page } from '@playwright/test'
import type { Tag } from '@caretaker/contract/tags.ts'
import { tenantCreateTag, tenantDeleteTag } from '@caretaker/contract/tags.ts'
import { createUser, deleteUser, updateUserRole } from '@caretaker/contract/people.ts'
import type { User } from '@caretaker/contract/people.ts'
import { ask } from './fixtures/api.ts'
import { choose, counted, rowOf } from './fixtures/lists.ts'
import { sidebar, userMenu } from './fixtures/portal.ts'
import { expect, test } from './fixtures/test.ts'

// These tests change the same demo rows, so they run one after the other.
test.describe.configure({ mode: 'default' })

const tenant = 'northgate'
const admin = 'admin@caretaker.example'
const manager = 'manager@northgate.example'
const refused = (page: Page) => page.getByRole('main').getByText("You don't have permission.")
const rows = (page: Page) => page.locator('tbody tr[data-row]')

/** Changes that a manager makes: a tag added and deleted, and a user's role changed. */
async function makeChanges(page: Page) {
  const tag = `Audit${randomUUID().slice(0, 8)}`
  const { data } = await ask(page, tenantCreateTag, { body: { tenant, name: tag } })
  await ask(page, tenantDeleteTag, { body: { tenant, id: (data as Tag).id } })
  const name = `Una Test ${randomUUID().slice(0, 8)}`
  const email = `${randomUUID()}@new.example`
  const made = await ask(page, createUser, { params: { tenant }, body: { name, email, role: 'Guest', tags: [] } })
  const { id } = made.data as User
  await ask(page, updateUserRole, { params: { tenant, id }, body: { role: 'Manager' } })
  await ask(page, deleteUser, { params: { tenant, id } })
  return { tag, name, email }
}

test('an admin finds who changed what, with filters that are kept in the address', async ({ pageOf }) => {
  const { tag, name } = await makeChanges(await pageOf(manager))
  const page = await pageOf(admin)
  await page.goto('/northgate/Dashboard')
  await sidebar(page).getByRole('link', { name: 'Audit' }).click()
  await page.getByRole('searchbox', { name: 'Subject' }).fill(tag)
  await expect(rows(page)).toHaveCount(2)
  await expect(rows(page).first()).toContainText('Tag deleted')
  await expect(rows(page).last()).toContainText('Tag created')
  await expect(rows(page).last()).toContainText('Priya Nair')
  await choose(page, 'Action', 'Tag created')
  await expect(rows(page)).toHaveCount(1)
  await expect(page).toHaveURL(/action=tag/)
  await page.reload()
  await expect(rows(page)).toHaveCount(1)
  await page.getByRole('textbox', { name: 'User' }).fill('Nobody at all')
  await expect(page.getByRole('main').getByText('No data available')).toBeVisible()
  await page.getByRole('button', { name: 'Clear' }).click()
  await expect(page).toHaveURL('/northgate/Audit')
  await expect(page.getByRole('searchbox', { name: 'Subject' })).toHaveValue('')

  await page.getByRole('searchbox', { name: 'Subject' }).fill(name)
  await rowOf(page, name).filter({ hasText: 'User role changed' }).click()
  const dialog = page.getByRole('dialog', { name: 'User role changed' })
  await expect(dialog.getByRole('row', { name: 'Role' }).getByRole('cell')).toHaveText(['Guest', 'Manager'])
  await expect(page).toHaveURL(/entry=/)
  await page.reload()
  await expect(dialog).toBeVisible()
  await page.keyboard.press('Escape')
  await expect(dialog).toHaveCount(0)
})

test('dates can be chosen by preset, typed or picked, none is in the future, and the end day is included [core-5-14 dev-5val-60 dev-5val-61 est-5-61 est-9-3 est-9-32]', async ({
  pageOf,
}) => {
  const { tag } = await makeChanges(await pageOf(manager))
  const page = await pageOf(admin)
  await page.goto(`/northgate/Audit?subject=${tag}`)
  await expect(rows(page)).toHaveCount(2)
  const open = () => page.getByRole('button', { name: /^Days/ }).click()
  const picker = page.getByRole('dialog', { name: 'Days' })
  await open()
  for (const preset of ['1 day', '7 days', '30 days'])
    await expect(picker.getByRole('button', { name: preset, exact: true })).toBeVisible()
  await picker.getByRole('button', { name: '7 days' }).click()
  await expect(picker).toHaveCount(0)
  await expect(page.getByRole('button', { name: /^Days: \d\d\/\d\d\/\d{4} – \d\d\/\d\d\/\d{4}$/ })).toBeVisible()
  // Made just now, on the end day.
  await expect(rows(page)).toHaveCount(2)

  const inLondon = (days: number) =>
    new Intl.DateTimeFormat('en-GB', { timeZone: 'Europe/London' }).format(Date.now() + days * 86_400_000)
  await open()
  await picker.getByRole('textbox', { name: 'To' }).fill(inLondon(1))
  await picker.getByRole('textbox', { name: 'To' }).press('Enter')
  await expect(picker.getByText('A date cannot be later than today')).toBeVisible()
  await picker.getByRole('textbox', { name: 'From' }).fill('05/03/2024')
  await picker.getByRole('textbox', { name: 'To' }).fill(inLondon(-1))
  await picker.getByRole('textbox', { name: 'To' }).press('Enter')
  await expect(page.getByRole('button', { name: /^Days: 05\/03\/2024 –/ })).toBeVisible()
  await expect(rows(page)).toHaveCount(0)
  await expect(page).toHaveURL(/from=2024-03-05/)
  // Days after today are disabled in the calendar.
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: 'Clear' }).click()
  await open()
  await expect(picker.locator('table')).toBeVisible()
  const labels = await picker
    .locator('table button:not([disabled])')
    .evaluateAll((all) => all.map((one) => one.getAttribute('aria-label') ?? ''))
  expect(labels.length).toBeGreaterThan(0)
  for (const label of labels) expect(new Date(label).getTime(), label).toBeLessThanOrEqual(Date.now())
})

test('only admins and developers see the audit log, and only developers the mailbox', async ({ pageOf }) => {
  for (const email of [manager, 'limited@northgate.example', 'guest@northgate.example']) {
    const page = await pageOf(email)
    const asked = counted(page, 'GET', /\/(audit|mailbox)$/)
    for (const area of ['Audit', 'Mailbox']) {
      await page.goto(`/northgate/${area}`)
      await expect(refused(page)).toBeVisible()
      await expect(sidebar(page).getByRole('link', { name: area })).toHaveCount(0)
    }
    expect(asked()).toBe(0)
  }
  const helen = await pageOf(admin)
  await helen.goto('/northgate/Mailbox')
  await expect(refused(helen)).toBeVisible()
  await expect(sidebar(helen).getByRole('link', { name: 'Audit' })).toBeVisible()
})

test('an invitation arrives in the mailbox, and its link leads to setting a password', async ({ pageOf }) => {
  const { email } = await makeChanges(await pageOf(manager))
  const page = await pageOf('dev@caretaker.example')
  await page.goto('/northgate/Dashboard')
  await sidebar(page).getByRole('link', { name: 'Mailbox' }).click()
  await rowOf(page, email).click()
  const mail = page.getByRole('dialog')
  await expect(mail).toContainText(email)
  const link = mail.getByRole('link')
  await expect(link).toHaveAttribute('href', /^http:\/\/localhost:\d+\//)
  await page.keyboard.press('Escape')
  // Another client has its own e-mails.
  await page.goto('/harbour/Mailbox')
  await expect(page.getByRole('heading', { name: 'Mailbox' })).toBeVisible()
  await expect(page.getByRole('grid', { name: 'Mails' })).toHaveAttribute('aria-busy', 'false')
  await expect(rowOf(page, email)).toHaveCount(0)
})

test('My Account shows the signed-in user and role, and changes the client', async ({ pageOf }) => {
  const page = await pageOf('contractor@multi.example')
  await page.goto('/northgate/Dashboard')
  await userMenu(page, 'My Account')
  await expect(page).toHaveURL('/northgate/MyAccount')
  const account = page.getByRole('region', { name: 'My Account' })
  for (const text of ['Bethan Lloyd', 'contractor@multi.example', 'Northgate Homes', 'Manager'])
    await expect(account.getByText(text, { exact: true })).toBeVisible()
  await page.goto('/meridian/MyAccount')
  for (const text of ['Meridian Council', 'Guest']) await expect(account.getByText(text, { exact: true })).toBeVisible()
  await expect(account.getByText('Northgate Homes')).toHaveCount(0)
  await account.getByRole('button', { name: 'Change Client' }).click()
  await expect(page.getByRole('heading', { name: 'Select Client' })).toBeVisible()
  // A user with one client cannot change it.
  const single = await pageOf(manager)
  await single.goto('/northgate/MyAccount')
  await expect(account.page().getByText('Select Client')).toBeVisible()
  await expect(single.getByRole('region', { name: 'My Account' })).toBeVisible()
  await expect(single.getByRole('button', { name: 'Change Client' })).toHaveCount(0)
})

test('a future date in the address is read as today, and the picker offers no future date', async ({ pageOf }) => {
  const page = await pageOf('admin@caretaker.example')
  const answered = page.waitForResponse((response) => new URL(response.url()).pathname.endsWith('/audit'))
  await page.goto('/northgate/Audit?to=2099-01-01')
  expect((await answered).status()).toBe(200)
  await expect(page.getByText('Failed to Load')).toHaveCount(0)
  const today = await page.evaluate(() => new Date().toLocaleDateString('en-GB', { timeZone: 'Europe/London' }))
  await page.getByRole('button', { name: `Days: Until ${today}` }).click()
  const picker = page.getByRole('dialog', { name: 'Days' })
  const next = picker.getByRole('button', { name: 'Next month' })
  await expect(next).toBeDisabled()
  const to = picker.getByRole('textbox', { name: 'To' })
  await to.fill('01/01/2099')
  await to.press('Enter')
  await expect(picker.getByText('A date cannot be later than today')).toBeVisible()
})
