import { randomUUID } from 'node:crypto'
import type { Page } from '@playwright/test'
import type { MailboxEntry } from '@caretaker/contract/mailbox.ts'
import { getMailbox } from '@caretaker/contract/mailbox.ts'
import type { User } from '@caretaker/contract/people.ts'
import { createUser, deleteUser, listUsers } from '@caretaker/contract/people.ts'
import { ask } from './fixtures/api.ts'
import { rowOf } from './fixtures/lists.ts'
import { loginButton, sidebar, userMenu, welcome } from './fixtures/portal.ts'
import { consoleText, expect, fillSignIn, test } from './fixtures/test.ts'

// These tests change the same demo rows, so they run one after the other.
test.describe.configure({ mode: 'default' })

const manager = 'manager@northgate.example'
const params = { tenant: 'northgate' }

/** A newly invited user for the test. */
async function invite(page: Page): Promise<{ name: string; email: string }> {
  const name = `Nadia New ${randomUUID().slice(0, 8)}`
  const email = `${name.toLowerCase().replaceAll(' ', '.')}@new.example`
  const { status } = await ask(page, createUser, { params, body: { name, email, role: 'Guest', tags: [] } })
  expect(status).toBe(201)
  return { name, email }
}

/** The link in the newest e-mail to an address, from the demo's mailbox. */
async function linkFor(developer: Page, email: string, subject: string): Promise<string> {
  let link: string | undefined
  await expect(async () => {
    const { data } = await ask(developer, getMailbox, { params })
    const { results } = data as { results: MailboxEntry[] }
    const mail = results.find((one) => one.to === email && one.subject.includes(subject))
    link = /http\S+\/account\/password\/\S+/.exec(mail?.text ?? '')?.[0]
    expect(link).toBeDefined()
  }).toPass()
  return link!
}

async function choosePassword(page: Page, link: string, password: string): Promise<void> {
  await page.goto(link)
  await page.getByLabel('New password').fill(password)
  await page.getByLabel('Repeat password').fill(password)
  await page.getByRole('button', { name: 'Save password' }).click()
  await expect(page.getByRole('heading', { name: 'Password saved' })).toBeVisible()
}

test('an invited user is shown as Invited until they sign in; a removed user is informed', async ({
  pageOf,
  page,
  expectedErrors,
}) => {
  // Errors from pending calls for a client from which the user has been removed.
  expectedErrors.push(consoleText(404))
  const users = await pageOf(manager)
  await users.goto('/northgate/Users')
  const { name, email } = await invite(users)
  await users.reload()
  await expect(rowOf(users, name)).toContainText('Invited')

  const developer = await pageOf('dev@caretaker.example')
  await developer.goto('/northgate/Mailbox')
  await choosePassword(page, await linkFor(developer, email, 'invited'), 'a long password')
  await expect(rowOf(users, name)).toContainText('Invited')
  await page.getByRole('link', { name: 'Go to Caretaker' }).click()
  await loginButton(page).click()
  await fillSignIn(page, email, 'a long password')
  await expect(sidebar(page)).toBeVisible()
  // The page has been open all the time.
  await expect(rowOf(users, name)).not.toContainText('Invited')

  const { data } = await ask(users, listUsers, { params })
  const { id } = (data as { results: User[] }).results.find((user) => user.email === email)!
  await ask(users, deleteUser, { params: { ...params, id } })
  const noAccess = page.getByRole('heading', { name: 'You no longer have access' })
  await expect(noAccess).toBeVisible()
  await page.getByRole('button', { name: 'Logout' }).click()
  await expect(welcome(page)).toBeVisible()
  await loginButton(page).click()
  await fillSignIn(page, email, 'a long password')
  await expect(noAccess).toBeVisible()
  await expect(page.getByText('You were removed from your last client on')).toBeVisible()
  await expect(page.getByRole('link', { name: /^support@/ })).toBeVisible()
  await expect(page.getByText(/northgate/i)).toHaveCount(0)
})

test('a user who has forgotten their password gets a link from the sign-in page and signs in with a new one', async ({
  pageOf,
  page,
}) => {
  const users = await pageOf(manager)
  await users.goto('/northgate/Users')
  const { email } = await invite(users)
  await page.goto('/')
  await loginButton(page).click()
  await page.getByRole('link', { name: 'Forgot password' }).click()
  await page.getByLabel('E-mail').fill(email)
  await page.getByRole('button', { name: 'Send link' }).click()
  await expect(page.getByRole('heading', { name: 'Check your e-mail' })).toBeVisible()
  const developer = await pageOf('dev@caretaker.example')
  await developer.goto('/northgate/Mailbox')
  await choosePassword(page, await linkFor(developer, email, 'new password'), 'another long one')
  await page.getByRole('link', { name: 'Go to Caretaker' }).click()
  await loginButton(page).click()
  await fillSignIn(page, email, 'another long one')
  await expect(sidebar(page)).toBeVisible()
  await userMenu(page, 'Logout')
  await expect(welcome(page)).toBeVisible()
})

test("all text of the provider's pages is in the portal's typeface", async ({ page }) => {
  await page.goto('/')
  const portal = await welcome(page).evaluate((heading) => getComputedStyle(heading).fontFamily.split(',')[0])
  expect(portal).toContain('Inter Variable')
  await loginButton(page).click()
  await page.waitForURL('**/login/*')
  for (const next of ['Forgot password', undefined]) {
    const faces = await page.evaluate(async () => {
      await document.fonts.ready
      const words = [...document.querySelectorAll('body *')].map(
        (one) => getComputedStyle(one).fontFamily.split(',')[0],
      )
      return { words: [...new Set(words)], loaded: [...document.fonts].map(({ family, status }) => [family, status]) }
    })
    expect(faces.words).toEqual([portal])
    expect(faces.loaded).toEqual([[expect.stringContaining('Inter Variable'), 'loaded']])
    if (next) await page.getByRole('link', { name: next }).click()
  }
})
