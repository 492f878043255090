import type { ChildProcess } from 'node:child_process'
import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { port } from './fixtures/address.ts'
import type { Glewlwyd } from './fixtures/glewlwyd.ts'
import { startGlewlwyd, withoutGlewlwyd } from './fixtures/glewlwyd.ts'
import { rowOf } from './fixtures/lists.ts'
import { dashboard, loginButton, userMenu, welcome } from './fixtures/portal.ts'
import { consoleText, expect, test } from './fixtures/test.ts'

test.skip(withoutGlewlwyd !== undefined, withoutGlewlwyd)
test.describe.configure({ mode: 'serial', timeout: 120_000 })

const portal = `http://localhost:${port + 4}`
const audience = `${portal}/api`
const programs = fileURLToPath(new URL('../server/src', import.meta.url))
const flags = ['--disable-warning=ExperimentalWarning']
/** Its own page wants scripts that its package does not bring. */
const errorsOfItsPage = [consoleText(404), '$ is not defined']
let glewlwyd: Glewlwyd
let server: ChildProcess | undefined
let folder = ''

const environment = (more: Record<string, string> = {}) => ({
  ...process.env,
  PORT: String(port + 4),
  MQTT_PORT: String(port + 5),
  CARETAKER_DATA: path.join(folder, 'data'),
  CARETAKER_DEMO: 'off',
  OIDC_ISSUER: glewlwyd.issuer,
  OIDC_AUDIENCE: audience,
  ...more,
})

/** A product of the test's own, whose people sign in at the foreign provider. */
async function startProduct(more: Record<string, string> = {}): Promise<{ said: () => string }> {
  let said = ''
  server = spawn(process.execPath, [...flags, path.join(programs, 'main.ts')], {
    env: environment(more),
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  for (const stream of [server.stdout!, server.stderr!]) stream.on('data', (part) => (said += String(part)))
  await expect.poll(() => said, { timeout: 60_000 }).toContain('is ready')
  return { said: () => said }
}

async function stopProduct(): Promise<void> {
  if (!server) return
  server.kill('SIGTERM')
  if (server.exitCode === null) await once(server, 'exit')
  server = undefined
}

const operator = (...args: string[]) =>
  promisify(execFile)(process.execPath, [...flags, path.join(programs, 'cli', 'main.ts'), ...args], {
    env: environment(),
  })

test.beforeAll(async () => {
  folder = mkdtempSync(path.join(tmpdir(), 'caretaker-foreign-'))
  glewlwyd = await startGlewlwyd({ port: port + 6, portal, audience })
  await glewlwyd.addPerson('vera')
})
test.afterAll(async () => {
  await stopProduct()
  await glewlwyd?.stop()
  rmSync(folder, { recursive: true, force: true })
})

test('at a provider that does not say whether an e-mail is verified, who is invited is told why they stay outside', async ({
  page,
  expectedErrors,
}) => {
  expectedErrors.push(...errorsOfItsPage)
  const { said } = await startProduct()
  await operator('tenant', 'add', '--id', 'north', '--name', 'North Homes')
  await operator('user', 'invite', '--tenant', 'north', '--email', 'vera@elsewhere.test', '--role', 'Manager')
  await page.goto(`${portal}/north/Dashboard`)
  await loginButton(page).click()
  await glewlwyd.signIn(page, 'vera')
  await expect(page.getByRole('heading', { name: 'You do not belong to a client yet' })).toBeVisible()
  await expect(page.getByText('nobody confirms that vera@elsewhere.test is your e-mail')).toBeVisible()
  await expect.poll(said).toContain('somebody who is invited stays outside')
  await stopProduct()
})

test('where that provider is trusted they come in, go on with a renewed token, and sign out', async ({
  page,
  expectedErrors,
}) => {
  expectedErrors.push(...errorsOfItsPage)
  await startProduct({ OIDC_TRUST_EMAILS: 'on' })
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
