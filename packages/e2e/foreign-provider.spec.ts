import { port } from './fixtures/address.ts'
import type { Glewlwyd } from './fixtures/glewlwyd.ts'
import { startGlewlwyd, withoutGlewlwyd } from './fixtures/glewlwyd.ts'
import { rowOf } from './fixtures/lists.ts'
import { dashboard, loginButton, userMenu, welcome } from './fixtures/portal.ts'
import { ownProduct } from './fixtures/product.ts'
import { consoleText, expect, test } from './fixtures/test.ts'

test.skip(withoutGlewlwyd !== undefined, withoutGlewlwyd)
test.describe.configure({ mode: 'serial', timeout: 120_000 })

/** Its users sign in at the external provider. */
const product = ownProduct(4, () => ({ OIDC_ISSUER: glewlwyd.issuer, OIDC_AUDIENCE: audience }))
const portal = product.origin
const audience = `${portal}/api`
/** The provider's own page requests scripts that its package does not include. */
const errorsOfItsPage = [consoleText(404), '$ is not defined']
let glewlwyd: Glewlwyd

test.beforeAll(async () => {
  glewlwyd = await startGlewlwyd({ port: port + 6, portal, audience })
  await glewlwyd.addPerson('vera')
})
test.afterAll(async () => {
  await product.end()
  await glewlwyd?.stop()
})

test('with a provider that does not report verified e-mails, an invited user sees why they cannot enter', async ({
  page,
  expectedErrors,
}) => {
  expectedErrors.push(...errorsOfItsPage)
  const { output } = await product.start()
  await product.caretaker('tenant', 'add', '--id', 'north', '--name', 'North Homes')
  await product.caretaker('user', 'invite', '--tenant', 'north', '--email', 'vera@elsewhere.test', '--role', 'Manager')
  await page.goto(`${portal}/north/Dashboard`)
  await loginButton(page).click()
  await glewlwyd.signIn(page, 'vera')
  await expect(page.getByRole('heading', { name: 'You do not belong to a client yet' })).toBeVisible()
  await expect(
    page.getByText('Your sign-in service has not confirmed that vera@elsewhere.test is your e-mail address'),
  ).toBeVisible()
  await expect.poll(output).toContain('an invited person was not admitted')
  await product.stop()
})

test('if that provider is trusted, users enter, continue with a renewed token, and sign out', async ({
  page,
  expectedErrors,
}) => {
  expectedErrors.push(...errorsOfItsPage)
  await product.start({ OIDC_TRUST_EMAILS: 'on' })
  const asked: string[] = []
  page.on('request', (request) => {
    if (request.url().startsWith(`${glewlwyd.issuer}/auth`)) asked.push(request.url())
  })
  await page.goto(`${portal}/north/Users`)
  await loginButton(page).click()
  await glewlwyd.signIn(page, 'vera')
  await expect(page).toHaveURL(`${portal}/north/Users`)
  await expect(rowOf(page, 'vera@elsewhere.test')).toBeVisible()
  expect(new URL(asked[0]!.replace('//api', '/api')).searchParams.get('nonce')).toMatch(/^[\w-]{16,}$/)
  await page.evaluate(() => {
    const key = Object.keys(localStorage).find((name) => name.startsWith('oidc.user:'))!
    const user = JSON.parse(localStorage.getItem(key)!) as object
    localStorage.setItem(key, JSON.stringify({ ...user, expires_at: 1 }))
  })
  await page.goto(`${portal}/north/Dashboard`)
  await expect(dashboard(page)).toBeVisible()
  await userMenu(page, 'Logout')
  await expect(welcome(page)).toBeVisible()
})
