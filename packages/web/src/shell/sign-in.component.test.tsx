import { expect, test } from 'vitest'
import { page } from 'vitest/browser'
import { getTenantDashboardData } from '@caretaker/contract/dashboard.ts'
import { fetchViewData } from '@caretaker/contract/devices.ts'
import { getClientSettings, getSession } from '@caretaker/contract/session.ts'
import { getFeatures } from '@caretaker/contract/tenants.ts'
import { loading } from '../testing/device-screen.ts'
import { expectCount } from '../testing/expect.ts'
import type { ServerAnswer } from '../testing/network.ts'
import { answer, cut, hold, refuse } from '../testing/network.ts'
import { clientOf, openPortal, settings } from '../testing/portal.tsx'
import { sidebar } from '../testing/screen.ts'

const login = page.getByRole('button', { name: 'Login' })
const welcome = page.getByRole('heading', { name: 'Welcome to Caretaker' })
const dashboard = page.getByRole('heading', { name: 'Needs attention' })

test.each(['/', '/northgate/Boilers', '/nowhere/at/all'])(
  'at %s somebody who is not signed in sees a welcome screen with Login, and nothing of a client is asked for [core-2.1-3 core-2.1-4]',
  async (address) => {
    const portal = await openPortal(address, { signedOut: true })
    await expect.element(welcome).toBeVisible()
    await expect.element(login).toBeVisible()
    await expectCount(page.getByText(/northgate/i), 0)
    await expectCount(sidebar, 0)
    await expectCount(page.getByText('Logged in as'), 0)
    for (const route of [getSession, getFeatures, getTenantDashboardData, fetchViewData])
      expect(portal.sentTo(route as typeof getSession)).toEqual([])
  },
)

test.each([
  ['somebody who is not signed in', true, welcome],
  ['somebody who is signed in', false, dashboard],
] as const)(
  'until it is known where to sign in there is a loading state, for %s [core-2.1-2]',
  async (_, signedOut, after) => {
    const pending = hold(getClientSettings, answer(getClientSettings, settings))
    await openPortal('/northgate/Dashboard', { signedOut, answers: [pending] })
    await expect.element(page.getByText('Loading ...')).toBeVisible()
    await expectCount(login, 0)
    await expectCount(sidebar, 0)
    pending.release()
    await expect.element(after, loading).toBeVisible()
    await expectCount(page.getByText('Loading ...'), 0)
  },
)

test('a user whom the server rejects sees the reason and can log in again', async () => {
  const profile = { sub: 'person', iss: 'https://issuer.example', aud: 'portal', exp: 4_102_444_800, iat: 0 }
  // The provider returns no refresh token.
  const open = async (refused: ServerAnswer) => {
    const user = { access_token: 'token', token_type: 'Bearer', profile, expires_at: 4_102_444_800 }
    localStorage.setItem('oidc.user:https://issuer.example:portal', JSON.stringify(user))
    await openPortal('/northgate/Dashboard', { isReload: true, signedOut: true, answers: [refused] })
  }
  const message = 'Your account at the identity provider has no e-mail address. Ask its administrator to add one.'
  await open(refuse(getSession, 'unauthorized', { message }))
  await expect.element(page.getByText('Caretaker did not accept your sign-in.'), loading).toBeVisible()
  await expect.element(page.getByText(message)).toBeVisible()
  await expect.element(login).toBeVisible()
  // An ended session needs no explanation.
  await open(refuse(getSession, 'unauthorized'))
  await expect.element(page.getByText('Your session has ended.'), loading).toBeVisible()
})

test('a portal without a connection to the server shows that and tries again', async () => {
  const portal = await openPortal('/', { signedOut: true, answers: [cut(getClientSettings)] })
  await expect.element(page.getByText('The server cannot be reached.'), loading).toBeVisible()
  await expectCount(login, 0)
  portal.use(answer(getClientSettings, settings))
  await page.getByRole('button', { name: 'Retry' }).click()
  await expect.element(login).toBeVisible()
})

test('the root and the bare client lead to the Dashboard [core-2.1-8 core-2.1-9 core-2.4-1]', async () => {
  const session = { tenants: ['northgate', 'meridian'].map((tenant) => clientOf(tenant)) }
  const portal = await openPortal('/meridian', { session })
  await expect.poll(() => portal.address()).toBe('/meridian/Dashboard')
  await expect.element(dashboard, loading).toBeVisible()
  await portal.go('/')
  await expect.poll(() => portal.address()).toBe('/meridian/Dashboard')
  await expect.element(dashboard).toBeVisible()
})
