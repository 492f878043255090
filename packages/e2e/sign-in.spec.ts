import type { Page } from '@playwright/test'
import { isVersion1 } from '@caretaker/contract/route.ts'
import { demoDevices } from '@caretaker/demo/fixtures.ts'
import { changeStoredUser, isCall, storedUser } from './fixtures/api.ts'
import { origin } from './fixtures/address.ts'
import { dashboard, loginButton, rows, sidebar, userMenu, welcome } from './fixtures/portal.ts'
import { consoleText, expect, fillSignIn, signIn, test } from './fixtures/test.ts'

const manager = 'manager@northgate.example'

/** Signs in on the page with its own tokens, for tests that use them up or end the session. */
async function signInWithOwnTokens(page: Page, path = '/'): Promise<void> {
  await page.goto(path)
  await signIn(page, manager)
  await expect(sidebar(page)).toBeVisible()
}

test('signing in happens at the provider, whose page is a plain form, and ends on the Dashboard [core-1-1 core-2.1-4 core-2.1-6 core-2.1-11 core-2.2-11]', async ({
  page,
}) => {
  await page.goto('/')
  await expect(page.locator('form, input')).toHaveCount(0)
  await loginButton(page).click()
  await page.waitForURL('**/login/*')
  const form = page.locator('form[method=post]')
  await expect(form.locator('input[name=email]')).toBeVisible()
  await expect(form.locator('input[name=password][type=password]')).toBeVisible()
  await expect(page.locator('script')).toHaveCount(0)
  await fillSignIn(page, manager)
  await expect(page).toHaveURL('/northgate/Dashboard')
  await expect(dashboard(page)).toBeVisible()
  await expect(sidebar(page)).toBeVisible()
})

test("the provider's page works in a browser without script", async ({ page, browser }) => {
  await page.goto('/')
  await loginButton(page).click()
  await page.waitForURL('**/login/*')
  const plain = await browser.newContext({
    javaScriptEnabled: false,
    storageState: await page.context().storageState(),
  })
  const form = await plain.newPage()
  await form.goto(page.url())
  await fillSignIn(form, manager)
  await form.waitForURL('**/callback?*')
  // The portal needs script, so the browser that started the sign-in continues.
  await page.goto(form.url())
  await plain.close()
  await expect(page).toHaveURL('/northgate/Dashboard')
  await expect(sidebar(page)).toBeVisible()
})

test('a wrong password signs nobody in, gives no details, and can be corrected', async ({ page, expectedErrors }) => {
  expectedErrors.push(consoleText(401))
  await page.goto('/')
  await loginButton(page).click()
  await fillSignIn(page, 'guest@northgate.example', 'wrong')
  const known = page.getByRole('alert')
  await expect(known).toHaveText('E-mail or password is wrong.')
  await fillSignIn(page, 'nobody@northgate.example', 'wrong')
  await expect(known).toHaveText('E-mail or password is wrong.')
  await expect(page).toHaveURL(/\/login\//)
  const other = await page.context().newPage()
  await other.goto('/northgate/Dashboard')
  await expect(welcome(other)).toBeVisible()
  await fillSignIn(page, 'guest@northgate.example')
  await expect(page).toHaveURL('/northgate/Dashboard')
})

test('an ID token of another sign-in signs nobody in', async ({ page }) => {
  await page.goto('/')
  let nonce: string | null = null
  await page.route('**/oidc/auth?*', (route) => {
    const address = new URL(route.request().url())
    nonce = address.searchParams.get('nonce')
    address.searchParams.set('nonce', 'of-another-sign-in')
    return route.continue({ url: address.href })
  })
  await signIn(page, manager)
  await expect(page.getByText('Signing in did not work. Please try again.')).toBeVisible()
  expect(nonce).toMatch(/^[\w-]{16,}$/)
  expect(await storedUser(page)).toBeUndefined()
  await page.unrouteAll()
  await page.context().clearCookies()
  await signIn(page, manager)
  await expect(sidebar(page)).toBeVisible()
})

test('only an error of the provider itself is quoted', async ({ page }) => {
  const refuse = (words: Record<string, string>) =>
    page.route('**/oidc/auth?*', (route) => {
      const state = new URL(route.request().url()).searchParams.get('state')!
      const back = new URLSearchParams({ ...words, state })
      return route.fulfill({ status: 302, headers: { location: `/callback?${back.toString()}` } })
    })
  await page.goto('/northgate/Boilers')
  const notice = page.getByRole('status').filter({ hasText: 'Signing in did not work.' })
  await refuse({ error: 'access_denied', error_description: 'Your account is locked until Monday.' })
  await loginButton(page).click()
  await expect(notice).toContainText('Reason given by the sign-in page: “Your account is locked until Monday.”')
  await page.unrouteAll()
  await refuse({ error: 'access_denied' })
  await loginButton(page).click()
  await expect(notice).toContainText('Reason given by the sign-in page: “access denied”')
  // An address that someone else has sent, without a sign-in in this browser.
  await page.goto('/callback?error=access_denied&error_description=Call+01632+960+999&state=made-up')
  await expect(notice).toBeVisible()
  await expect(page.getByText('01632')).toHaveCount(0)
})

test('a deep link is kept with path, query and fragment, and opened from the Dashboard [core-2.1-7 core-2.1-10]', async ({
  page,
}) => {
  const target = '/northgate/EmergencyLights?page=2&sort=name#content'
  const places: string[] = []
  page.on('framenavigated', (frame) => {
    if (frame === page.mainFrame()) places.push(frame.url().replace(origin, ''))
  })
  await page.goto(target)
  await signIn(page, manager)
  await expect(page).toHaveURL(target)
  await expect(rows(page)).not.toHaveCount(0)
  await expect(page.getByText('101 - 200 of')).toBeVisible()
  const callback = places.findLastIndex((place) => place.startsWith('/callback?'))
  expect(callback).toBeGreaterThan(0)
  expect(places.slice(callback + 1)).toEqual(['/northgate/Dashboard', target])
})

test('a reload stays signed in, because the tokens are in local storage [core-7-6]', async ({ page }) => {
  await signInWithOwnTokens(page)
  const before = await storedUser(page)
  expect(before?.access_token).toBeTruthy()
  await page.reload()
  await expect(sidebar(page)).toBeVisible()
  expect(await storedUser(page)).toEqual(before)
  await page.evaluate(() => localStorage.clear())
  await page.reload()
  await expect(loginButton(page)).toBeVisible()
  await expect(sidebar(page)).toHaveCount(0)
})

test('every call has a bearer token, and every version 1 call its client [core-7-1 core-7.1-2]', async ({ pageOf }) => {
  const page = await pageOf(manager)
  const calls: { name: string; authorization: string | undefined; version1: boolean; tenant: unknown }[] = []
  page.on('request', (request) => {
    if (!isCall(request)) return
    const { pathname } = new URL(request.url())
    const version1 = isVersion1({ method: request.method() as 'POST', path: pathname })
    const body = version1 ? (request.postDataJSON() as { tenant?: unknown }) : {}
    calls.push({ name: pathname, authorization: request.headers().authorization, version1, tenant: body.tenant })
  })
  await page.goto('/northgate/Dashboard')
  await expect(page.getByRole('link', { name: 'Emergency lights' })).toBeVisible()
  for (const listing of ['EmergencyLights', 'Boilers', 'NetworkingDevices']) {
    await page.goto(`/northgate/${listing}`)
    await expect(rows(page)).not.toHaveCount(0)
  }
  await page.goto(`/northgate/EmergencyLights/${demoDevices.livelyLight.deviceId}`)
  await expect(page.getByRole('region', { name: 'Emergency equipment' })).toBeVisible()
  const names = new Set(calls.map(({ name }) => name))
  for (const name of ['/api/session', '/api/GetTenantDashboardData', '/api/FetchViewData', '/api/GetEmered'])
    expect(names).toContain(name)
  for (const { name, authorization, version1, tenant } of calls) {
    expect(authorization, name).toMatch(/^Bearer [\w-]+\.[\w-]+\.[\w-]+$/)
    if (version1) expect(tenant, name).toBe('northgate')
  }
})

test('an expired access token is renewed without a sign-in page [core-7-3 core-7-4]', async ({ page }) => {
  await signInWithOwnTokens(page)
  const old = (await storedUser(page))!
  const places: string[] = []
  const refreshes: string[] = []
  page.on('framenavigated', (frame) => places.push(frame.url()))
  page.on('request', (request) => {
    if (request.url().endsWith('/oidc/token')) refreshes.push(request.postData() ?? '')
  })
  await changeStoredUser(page, { expires_at: Math.floor(Date.now() / 1000) - 60 })
  await page.getByRole('link', { name: 'Emergency lights' }).click()
  await expect(rows(page)).not.toHaveCount(0)
  const renewed = (await storedUser(page))!
  expect(renewed.access_token).not.toBe(old.access_token)
  expect(renewed.refresh_token).not.toBe(old.refresh_token)
  expect(refreshes).toHaveLength(1)
  expect(refreshes[0]).toContain('grant_type=refresh_token')
  expect(places.every((place) => place.startsWith(`${origin}/northgate/`))).toBe(true)
})

test('a token that the server rejects is renewed, and the call repeated [core-7-3]', async ({
  page,
  expectedErrors,
}) => {
  expectedErrors.push(consoleText(401))
  await signInWithOwnTokens(page)
  await changeStoredUser(page, { access_token: 'not.a.token' })
  const refused = page.waitForResponse((response) => response.status() === 401)
  await page.getByRole('link', { name: 'Emergency lights' }).click()
  await refused
  await expect(rows(page)).not.toHaveCount(0)
  expect((await storedUser(page))?.access_token).not.toBe('not.a.token')
  await expect(welcome(page)).toHaveCount(0)
})

test('two tabs whose token expires at the same time use one refresh token, and both continue [core-7-4]', async ({
  page,
}) => {
  await signInWithOwnTokens(page)
  const second = await page.context().newPage()
  await second.goto('/northgate/Dashboard')
  await expect(dashboard(second)).toBeVisible()
  const refreshes: string[] = []
  page.context().on('request', (request) => {
    if (request.url().endsWith('/oidc/token')) refreshes.push(request.url())
  })
  await changeStoredUser(page, { expires_at: Math.floor(Date.now() / 1000) - 60 })
  await Promise.all([page, second].map((tab) => tab.getByRole('link', { name: 'Emergency lights' }).click()))
  for (const tab of [page, second]) {
    await expect(rows(tab)).not.toHaveCount(0)
    await expect(sidebar(tab)).toBeVisible()
  }
  expect(refreshes).toHaveLength(1)
})

test('signing out ends the session at the provider and in every tab [core-2.3-6 core-2.3-7 core-7-5]', async ({
  page,
}) => {
  await signInWithOwnTokens(page, '/northgate/EmergencyLights')
  const second = await page.context().newPage()
  await second.goto('/northgate/NetworkingDevices')
  await expect(sidebar(second)).toBeVisible()
  const end = page.waitForRequest((request) => new URL(request.url()).pathname.startsWith('/oidc/session/end'))
  await userMenu(page, 'Logout')
  await end
  await expect(page).toHaveURL('/Dashboard')
  await expect(welcome(page)).toBeVisible()
  await expect(welcome(second)).toBeVisible()
  await expect(sidebar(second)).toHaveCount(0)
  expect(await storedUser(page)).toBeUndefined()
  const third = await page.context().newPage()
  await third.goto('/northgate/Dashboard')
  await loginButton(third).click()
  await expect(third.locator('input[name=password]')).toBeVisible()
})

test('an ended session is reported, and signing in again returns to the same place', async ({
  page,
  expectedErrors,
}) => {
  expectedErrors.push(consoleText(400))
  const place = '/northgate/EmergencyLights?sort=-serial&page=3'
  await signInWithOwnTokens(page, place)
  await expect(page.getByText('201 - 300 of')).toBeVisible()
  await changeStoredUser(page, { expires_at: 1, refresh_token: 'revoked' })
  await page.getByRole('button', { name: 'Next page' }).click()
  await expect(page.getByText('Your session has ended.')).toBeVisible()
  await expect(rows(page)).toHaveCount(0)
  await page.context().clearCookies()
  await signIn(page, manager)
  await expect(page).toHaveURL('/northgate/EmergencyLights?sort=-serial&page=4')
  await expect(page.getByText('301 - 400 of')).toBeVisible()
})

test('a provider that does not respond ends no session', async ({ page, expectedErrors }) => {
  expectedErrors.push('net::ERR_FAILED')
  await signInWithOwnTokens(page, '/northgate/Dashboard')
  await page.route('**/oidc/token', (route) => route.abort())
  await changeStoredUser(page, { expires_at: 1 })
  await page.getByRole('link', { name: 'Emergency lights' }).click()
  await expect(page.getByText('Failed to Load')).toBeVisible()
  await expect(sidebar(page)).toBeVisible()
  await page.unroute('**/oidc/token')
  await page.getByRole('button', { name: 'Retry' }).click()
  await expect(rows(page)).not.toHaveCount(0)
})
