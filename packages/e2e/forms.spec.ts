import type { Page } from '@playwright/test'
import { answer, counted, toast } from './fixtures/lists.ts'
import { consoleText, expect, test } from './fixtures/test.ts'

const manager = 'manager@northgate.example'
const users = '/api/tenants/northgate/users'
const dialog = (page: Page) => page.getByRole('dialog')
const field = (page: Page, name: string) => dialog(page).getByRole('textbox', { name })
const invalid = 'Please enter a valid e-mail address'

async function newUserForm(page: Page): Promise<void> {
  await page.goto('/northgate/Users')
  await page.getByRole('button', { name: 'Create user' }).click()
  await expect(field(page, 'Name')).toBeFocused()
}

async function fillIn(page: Page): Promise<void> {
  await field(page, 'Name').fill('Una Test')
  await field(page, 'E-mail').fill('una@new.example')
  await dialog(page).getByRole('combobox', { name: 'Role' }).click()
  await page.getByRole('option', { name: 'Guest' }).click()
}

test('a required field that is empty says so on leaving it, in its own text or the usual one [core-5-1 core-5-3]', async ({
  pageOf,
}) => {
  const page = await pageOf(manager)
  await newUserForm(page)
  await expect(dialog(page).getByText(/is required!/)).toHaveCount(0)
  await field(page, 'Name').press('Tab')
  await expect(dialog(page).getByText('Name is required!')).toBeVisible()
  await expect(field(page, 'Name')).toHaveAttribute('aria-invalid', 'true')
  await page.goto('/northgate/Settings/tags')
  await page.getByRole('button', { name: 'Add tag' }).click()
  await field(page, 'Name').press('Tab')
  await expect(dialog(page).getByText('Tag name is required!')).toBeVisible()
})

test("leaving a field shows the failing rule's own text at once, and mending it takes the text away at once [core-5-3 core-5-4]", async ({
  pageOf,
}) => {
  const page = await pageOf(manager)
  await newUserForm(page)
  // The clock stands: what waits for a second never comes.
  await page.clock.install()
  await page.clock.pauseAt(Date.now() + 60_000)
  await field(page, 'E-mail').fill('una@')
  await expect(dialog(page).getByText(invalid)).toHaveCount(0)
  await field(page, 'E-mail').blur()
  await page.clock.runFor(50)
  await expect(dialog(page).getByText(invalid)).toBeVisible()
  await field(page, 'E-mail').fill('una@new.example')
  await page.clock.runFor(50)
  await expect(dialog(page).getByText(invalid)).toHaveCount(0)
})

test('while typing a new error waits for a second after the last key [core-5-4 core-5-5 dev-5val-59]', async ({
  pageOf,
}) => {
  const page = await pageOf(manager)
  await newUserForm(page)
  await page.clock.install()
  await page.clock.pauseAt(Date.now() + 60_000)
  const email = field(page, 'E-mail')
  await email.focus()
  const error = dialog(page).getByText(invalid)
  for (const key of 'una') {
    await email.press(key)
    await page.clock.runFor(900)
    await expect(error).toHaveCount(0)
  }
  await page.clock.runFor(200)
  await expect(error).toBeVisible()
})

test('a form is sent only when it is valid', async ({ pageOf }) => {
  const page = await pageOf(manager)
  await newUserForm(page)
  const posts = counted(page, 'POST', users)
  const create = dialog(page).getByRole('button', { name: 'Create' })
  await expect(create).toBeDisabled()
  await field(page, 'Name').fill('Una Test')
  await field(page, 'E-mail').fill('una@new.example')
  // The role is still missing, although no error is shown.
  await expect(dialog(page).getByText(/required!/)).toHaveCount(0)
  await expect(create).toBeDisabled()
  await field(page, 'E-mail').press('Enter')
  await expect(field(page, 'E-mail')).toHaveValue('una@new.example')
  await dialog(page).getByRole('combobox', { name: 'Role' }).click()
  await page.getByRole('option', { name: 'Guest' }).click()
  await expect(create).toBeEnabled()
  await field(page, 'E-mail').fill('una')
  await expect(create).toBeDisabled()
  await field(page, 'E-mail').press('Enter')
  expect(posts()).toBe(0)
})

test("the server's domain and validation errors stand beside the form's own [core-5-8 core-5-9]", async ({
  pageOf,
  expectedErrors,
}) => {
  expectedErrors.push(consoleText(422))
  const page = await pageOf(manager)
  await newUserForm(page)
  await fillIn(page)
  await answer(page, 'POST', `**${users}`, 422, {
    message: 'Something went wrong!',
    domainErrors: ['There is no licence left.'],
    validationErrors: [
      { field: 'body.email', message: 'This e-mail cannot be reached.' },
      { field: 'body.owner', message: 'Owner is unknown.' },
    ],
  })
  await dialog(page).getByRole('button', { name: 'Create' }).click()
  await expect(toast(page, 'Failed to create user!')).toBeVisible()
  const alert = dialog(page).getByRole('alert')
  await expect(alert).toContainText('There is no licence left.')
  await expect(alert).toContainText('Owner is unknown.')
  await expect(alert).not.toContainText('Something went wrong!')
  await expect(dialog(page).getByText('This e-mail cannot be reached.')).toBeVisible()
  await expect(field(page, 'E-mail')).toHaveAttribute('aria-invalid', 'true')
  await field(page, 'Name').fill('')
  await field(page, 'Name').blur()
  await expect(dialog(page).getByText('Name is required!')).toBeVisible()
  await expect(dialog(page).getByText('This e-mail cannot be reached.')).toBeVisible()
  await field(page, 'E-mail').fill('other@new.example')
  await expect(dialog(page).getByText('This e-mail cannot be reached.')).toHaveCount(0)
})

test('a failed call that says nothing shows the text of its status [core-5-10]', async ({ pageOf, expectedErrors }) => {
  const page = await pageOf(manager)
  await newUserForm(page)
  await fillIn(page)
  for (const [status, text] of [
    [500, 'Server error.'],
    [403, "You don't have permission."],
    [418, 'Something went wrong!'],
  ] as const) {
    expectedErrors.push(consoleText(status))
    await answer(page, 'POST', `**${users}`, status)
    await dialog(page).getByRole('button', { name: 'Create' }).click()
    await expect(dialog(page).getByRole('alert')).toHaveText(text)
    await page.unrouteAll()
  }
})

test('a version 1 call that fails shows its reason, else its message, else the fixed text [core-7.1-21 core-7.1-22 core-7.1-23]', async ({
  pageOf,
}) => {
  const page = await pageOf(manager)
  await page.goto('/northgate/Settings/tags')
  const failed = { isSuccessful: false, data: null, reason: null, message: null }
  for (const [body, text] of [
    [{ ...failed, reason: 'No room for another tag', message: 'Not this one' }, 'No room for another tag'],
    [{ ...failed, message: 'Not this one' }, 'Not this one'],
    [failed, 'Failed to update device, please try again'],
  ] as const) {
    await answer(page, 'POST', '**/api/TenantCreateTag', 200, body)
    await page.getByRole('button', { name: 'Add tag' }).click()
    await field(page, 'Name').fill('Another')
    await dialog(page).getByRole('button', { name: 'Add' }).click()
    await expect(toast(page, text)).toBeVisible()
    await expect(page.locator('.mantine-Notification-root')).toHaveCount(1)
    await expect(toast(page, 'Tag created successfully!')).toHaveCount(0)
    await dialog(page).getByRole('button', { name: 'Cancel' }).click()
    await toast(page, text).getByRole('button', { name: 'Dismiss' }).click()
    await expect(toast(page, text)).toHaveCount(0)
    await page.unrouteAll()
  }
})

test('the shared handler shows the message, each other error once, or the text of the status [core-8-7 core-8-8 core-8-9 core-8-11]', async ({
  pageOf,
  expectedErrors,
}) => {
  expectedErrors.push(consoleText(400), consoleText(404))
  const page = await pageOf(manager)
  await page.goto('/northgate/Settings/tags')
  const toasts = page.locator('.mantine-Notification-root')
  const tryIt = async () => {
    await page.getByRole('button', { name: 'Add tag' }).click()
    await field(page, 'Name').fill('Another')
    await dialog(page).getByRole('button', { name: 'Add' }).click()
  }
  await answer(page, 'POST', '**/api/TenantCreateTag', 400, {
    message: 'The tag is refused',
    domainErrors: ['The tag is refused', 'Too many tags'],
    validationErrors: [
      { field: 'name', message: 'Not a nice name' },
      { field: 'name', message: 'The tag is refused' },
    ],
  })
  await tryIt()
  for (const text of ['The tag is refused', 'Too many tags', 'Not a nice name'])
    await expect(toast(page, text)).toHaveCount(1)
  await expect(toasts).toHaveCount(3)
  await page.unrouteAll()
  await page.reload()
  await answer(page, 'POST', '**/api/TenantCreateTag', 404)
  await tryIt()
  await expect(toast(page, 'Not found.')).toBeVisible()
  await expect(toasts).toHaveCount(1)
})
