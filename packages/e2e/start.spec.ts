import type { BrowserContext, Request } from '@playwright/test'
import { rows, sidebar } from './fixtures/portal.ts'
import { expect, fillSignIn, test } from './fixtures/test.ts'

const manager = 'manager@northgate.example'
const list = '/northgate/EmergencyLights'

/** Records every request of a browser from now on. */
function watched(context: BrowserContext): Request[] {
  const requests: Request[] = []
  context.on('request', (request) => requests.push(request))
  return requests
}
const pathOf = (request: Request) => new URL(request.url()).pathname
const ofKind = (requests: readonly Request[], kind: string) =>
  requests.filter((request) => request.resourceType() === kind)

/** The transferred bytes. */
async function weightOf(requests: readonly Request[]): Promise<number> {
  const sizes = await Promise.all(requests.map((request) => request.sizes()))
  return sizes.reduce((sum, { responseBodySize }) => sum + responseBodySize, 0)
}

test('the first list needs one document and at most 37 script files of 290 kB in total', async ({ page, signedIn }) => {
  // With an empty cache.
  await page.context().setStorageState(await signedIn(manager))
  const requests = watched(page.context())
  await page.goto(list)
  await expect(rows(page)).toHaveCount(100)
  await expect(sidebar(page).getByRole('link', { name: 'Boilers' })).toBeVisible()
  expect(ofKind(requests, 'document').map(pathOf)).toEqual([list])
  const scripts = ofKind(requests, 'script')
  expect(scripts.length).toBeGreaterThan(2)
  expect(scripts.length).toBeLessThanOrEqual(37)
  const bytes = await weightOf(scripts)
  expect(bytes).toBeGreaterThan(100_000)
  expect(bytes).toBeLessThanOrEqual(290_000)
})

test('a sign-in returns with one document and continues to the list without another; nothing is requested twice', async ({
  page,
}) => {
  await page.goto(list)
  await page.getByRole('button', { name: 'Login' }).click()
  await expect(page.getByLabel('E-mail')).toBeVisible()
  const requests = watched(page.context())
  await fillSignIn(page, manager)
  await expect(page).toHaveURL(list)
  await expect(rows(page)).toHaveCount(100)
  expect(
    ofKind(requests, 'document')
      .map(pathOf)
      .filter((path) => !/^\/(oidc|login)\//.test(path)),
  ).toEqual(['/callback'])
  for (const kind of ['script', 'stylesheet']) {
    const paths = ofKind(requests, kind).map(pathOf)
    expect(paths).toEqual([...new Set(paths)])
  }
  const calls = ofKind(requests, 'fetch').map(pathOf)
  for (const once of ['/api/settings', '/api/session', '/api/GetTenantInfo', '/oidc/token', '/api/FetchViewData'])
    expect(
      calls.filter((path) => path === once),
      once,
    ).toHaveLength(1)
})
