import type { Page } from '@playwright/test'
import { memberPassword } from './fixtures/clients.ts'
import { database } from './fixtures/database.ts'
import { loginButton, sidebar } from './fixtures/portal.ts'
import { consoleText, expect, fillSignIn, test } from './fixtures/test.ts'

/** Gives the browser an authenticator of its own, such as a fingerprint reader. */
async function addAuthenticator(page: Page): Promise<void> {
  const session = await page.context().newCDPSession(page)
  await session.send('WebAuthn.enable')
  await session.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      ...{ protocol: 'ctap2', transport: 'internal', hasResidentKey: true },
      ...{ hasUserVerification: true, isUserVerified: true, automaticPresenceSimulation: true },
    },
  })
}

test('a person adds a passkey, signs in with it alone, and removes it after signing in again', async ({
  newClient,
  expectedErrors,
}) => {
  // The test signs in three times, and each sign-in opens its own pages.
  test.slow()
  const client = await newClient()
  const guest = await client.member('Guest')
  const page = await client.pageOf(guest)
  await addAuthenticator(page)
  const dialog = page.getByRole('dialog')

  await page.goto(client.at('MyAccount'))
  await page.getByRole('button', { name: 'Add passkey' }).click()
  await dialog.getByLabel('Name').fill('Test device')
  await dialog.getByRole('button', { name: 'Continue' }).click()
  await expect(dialog.getByText('Your recovery codes')).toBeVisible()
  await expect(dialog.locator('li code')).toHaveCount(10)
  await dialog.getByRole('button', { name: 'Done' }).click()
  await expect(page.getByText('10 of your recovery codes are unused.')).toBeVisible()

  await page.getByRole('button', { name: 'Logout' }).click()
  await loginButton(page).click()
  await page.getByRole('link', { name: 'Sign in with a passkey' }).click()
  await page.getByRole('button', { name: 'Use passkey' }).click()
  await expect(sidebar(page)).toBeVisible()

  // The passkey as a second factor, in the window that opens for a call that needs a recent sign-in.
  await database().query(
    `update idp.browser_session set authenticated_at = authenticated_at - interval '11 minutes'
     where account_id = (select id from idp.account where email = $1)`,
    [guest.email],
  )
  expectedErrors.push(consoleText(401))
  await page.goto(client.at('MyAccount'))
  await page.getByRole('button', { name: 'Remove passkey Test device' }).click()
  await dialog.getByRole('button', { name: 'Remove' }).click()
  const opened = page.waitForEvent('popup')
  await dialog.getByRole('button', { name: 'Sign in again' }).click()
  const popup = await opened
  await expect(popup.getByLabel('E-mail')).toHaveValue(guest.email)
  await fillSignIn(popup, guest.email, memberPassword)
  await expect(popup.getByRole('heading', { name: 'Confirm that it is you' })).toBeVisible()
  // The window has no authenticator, so a recovery code replaces it.
  const { rows } = await database().query<{ id: string }>('select id from idp.account where email = $1', [guest.email])
  await database().query(
    `insert into idp.recovery_code (account_id, code_hash)
     values ($1, translate(rtrim(encode(sha256('aaaabbbbccccdddd'), 'base64'), '='), '+/', '-_'))`,
    [rows[0]!.id],
  )
  await popup.getByLabel('Recovery code').fill('aaaa-bbbb-cccc-dddd')
  const closed = popup.waitForEvent('close')
  await popup.getByRole('button', { name: 'Continue' }).click()
  await closed
  await expect(dialog).toHaveCount(0)
  await expect(page.getByText('A second factor keeps your account safe')).toBeVisible()
})
