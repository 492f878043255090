import { expect, test } from 'vitest'
import { page } from 'vitest/browser'
import type { AccountSecurity, BrowserSession } from '@caretaker/contract/account.ts'
import * as account from '@caretaker/contract/account.ts'
import { expectCount } from '../testing/expect.ts'
import { dialog } from '../testing/list-screen.ts'
import type { ServerAnswer } from '../testing/network.ts'
import { answer, refuse } from '../testing/network.ts'
import { openPortal } from '../testing/portal.tsx'
import { button, region } from '../testing/screen.ts'

const at = '2026-11-02T09:30:00Z'
const none: AccountSecurity = {
  ...{ isAvailable: true, isRequired: false, passkeys: [] },
  ...{ authenticatorAppAddedAt: null, recoveryCodesLeft: 0 },
}
const both: AccountSecurity = {
  ...none,
  passkeys: [{ id: 'phone', name: 'My phone', createdAt: at, lastUsedAt: null }],
  authenticatorAppAddedAt: at,
  recoveryCodesLeft: 1,
}
const session = (id: string, more: Partial<BrowserSession> = {}): BrowserSession => ({
  ...{ id, browser: 'Firefox on Linux', network: '192.0.2.0/24', signedInAt: at, lastUsedAt: at, isCurrent: false },
  ...more,
})
const open = (...answers: ServerAnswer[]) => openPortal('/northgate/MyAccount', { answers })
const factors = region('Second factor')
const sessions = region('Where you are signed in')

test('a person without a second factor adds an authenticator app by its key, and sees the recovery codes once', async () => {
  const portal = await open(
    answer(account.getAccountSecurity, none),
    answer(account.beginAuthenticatorApp, {
      key: 'JBSWY3DPEHPK3PXP',
      address: 'otpauth://totp/Caretaker:priya?secret=JB',
    }),
    answer(account.addAuthenticatorApp, { recoveryCodes: ['aaaa-bbbb-cccc-dddd', 'eeee-ffff-gggg-hhhh'] }),
  )
  await expect.element(factors.getByText('A second factor keeps your account safe')).toBeVisible()
  await expectCount(button('New recovery codes'), 0)
  await button('Add authenticator app').click()
  await expect.element(dialog.getByText('JBSW Y3DP EHPK 3PXP')).toBeVisible()
  await expect.element(dialog.getByRole('img', { name: 'QR code of the key shown below' })).toBeVisible()
  portal.use(answer(account.getAccountSecurity, both))
  await dialog.getByLabelText('Code that the app shows').fill('123456')
  await dialog.getByRole('button', { name: 'Add', exact: true }).click()
  await expect.element(dialog.getByText('aaaa-bbbb-cccc-dddd')).toBeVisible()
  expect(portal.sentTo(account.addAuthenticatorApp).map(({ body }) => body)).toEqual([{ code: '123456' }])
  await dialog.getByRole('button', { name: 'Done' }).click()
  await expectCount(dialog, 0)
  await expect.element(factors.getByText('1 of your recovery codes is unused.')).toBeVisible()
})

test('a wrong code stays in the dialog with what is wrong', async () => {
  await open(
    answer(account.getAccountSecurity, none),
    refuse(account.addAuthenticatorApp, 'refused', { message: 'This is not the code that the app shows now.' }),
  )
  await button('Add authenticator app').click()
  await dialog.getByLabelText('Code that the app shows').fill('000000')
  await dialog.getByRole('button', { name: 'Add', exact: true }).click()
  await expect.element(dialog.getByText('This is not the code that the app shows now.')).toBeVisible()
})

test('a factor is removed after a question, and the last one that a role requires stays, with the reason', async () => {
  const message = 'Your role requires a second factor. Add another one before you remove this one.'
  const portal = await open(
    answer(account.getAccountSecurity, { ...both, isRequired: true }),
    refuse(account.removeAuthenticatorApp, 'refused', { message }),
  )
  await button('Remove passkey My phone').click()
  await dialog.getByRole('button', { name: 'Remove' }).click()
  await expectCount(dialog, 0)
  expect(portal.sentTo(account.removePasskey).map(({ params }) => params)).toEqual([{ passkeyId: 'phone' }])
  await button('Remove authenticator app').click()
  await dialog.getByRole('button', { name: 'Remove' }).click()
  await expect.element(dialog.getByText(message)).toBeVisible()
})

test('new recovery codes take the place of the former ones', async () => {
  await open(
    answer(account.getAccountSecurity, both),
    answer(account.renewRecoveryCodes, { recoveryCodes: ['iiii-jjjj-kkkk-llll'] }),
  )
  await button('New recovery codes').click()
  await dialog.getByRole('button', { name: 'Get new codes' }).click()
  await expect.element(dialog.getByText('iiii-jjjj-kkkk-llll')).toBeVisible()
})

test('the sessions name this one, and the others end one by one or all together', async () => {
  const portal = await open(
    answer(account.getAccountSecurity, none),
    answer(account.getBrowserSessions, {
      results: [
        session('here', { isCurrent: true, browser: 'Chrome on Windows' }),
        session('there', { browser: 'Safari on iPhone' }),
      ],
    }),
    answer(account.endOtherBrowserSessions, { ended: 1 }),
  )
  await expect.element(sessions.getByText('Chrome on Windows (this session)')).toBeVisible()
  await expect.element(sessions.getByText(/^Network 192\.0\.2\.0\/24, signed in/).first()).toBeVisible()
  await expectCount(sessions.getByRole('button', { name: /^Sign out of (Chrome|Safari)/ }), 1)
  await sessions.getByRole('button', { name: /^Sign out of Safari on iPhone/ }).click()
  await dialog.getByRole('button', { name: 'Sign out', exact: true }).click()
  await expectCount(dialog, 0)
  expect(portal.sentTo(account.endBrowserSession).map(({ params }) => params)).toEqual([{ sessionId: 'there' }])
  await button('Sign out of all others').click()
  await dialog.getByRole('button', { name: 'Sign out', exact: true }).click()
  await expectCount(dialog, 0)
  expect(portal.sentTo(account.endOtherBrowserSessions)).toHaveLength(1)
})

test('where another provider signs people in, the page has no second factor and no sessions', async () => {
  const portal = await open(answer(account.getAccountSecurity, { ...none, isAvailable: false }))
  await expect.element(page.getByRole('heading', { name: 'My Account' })).toBeVisible()
  await expect.poll(() => portal.sentTo(account.getAccountSecurity).length).toBe(1)
  await expectCount(factors, 0)
  await expectCount(sessions, 0)
})
