import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Page } from '@playwright/test'
import { fetchViewData } from '@caretaker/contract/devices.ts'
import { demoIntegrations } from '@caretaker/demo/fixtures.ts'
import { trialEvent } from '@caretaker/rules/webhooks/webhooks.ts'
import { isOurs } from './fixtures/verify-webhook.ts'
import { rowOf, toast } from './fixtures/lists.ts'
import { consoleText, expect, test } from './fixtures/test.ts'

// These tests change the same demo rows, so they run one after the other.
test.describe.configure({ mode: 'default' })

const manager = 'manager@northgate.example'
const keys = '/northgate/Settings/apiKeys'
const webhooks = '/northgate/Settings/webhooks'
const dialog = (page: Page) => page.getByRole('dialog')
const button = (page: Page, name: string | RegExp) => page.getByRole('button', { name })

test('a manager creates a key, uses it from elsewhere and revokes it, after which it is rejected', async ({
  pageOf,
}) => {
  const page = await pageOf(manager, { permissions: ['clipboard-read', 'clipboard-write'] })
  await page.goto(keys)
  await expect(rowOf(page, demoIntegrations.apiKey)).toContainText('Active')
  const name = `Browser ${Date.now()}`
  await button(page, 'Add API key').click()
  await dialog(page).getByLabel('Name').fill(name)
  // A key with tags sees items that have one of them; a key without tags sees everything.
  const sees = dialog(page)
    .getByRole('combobox', { name: 'Access' })
    .or(dialog(page).getByLabel('Access', { exact: true }))
    .first()
  await expect(sees).toHaveAttribute('placeholder', 'Everything')
  await sees.click()
  for (const tag of ['East Patch', 'West Patch']) await page.getByRole('option', { name: tag }).click()
  await page.keyboard.press('Escape')
  await dialog(page).getByRole('button', { name: 'Add', exact: true }).click()
  await expect(dialog(page)).toContainText('it is not shown again')
  const key = (await dialog(page).locator('[data-secret]').textContent())!
  expect(key).toMatch(/^caretaker_northgate_/)
  await dialog(page).getByRole('button', { name: 'Copy' }).click()
  await expect(dialog(page).getByRole('button', { name: 'Copied' })).toBeVisible()
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(key)
  await dialog(page).getByRole('button', { name: 'Done' }).click()
  await expect(dialog(page)).toHaveCount(0)
  await expect(rowOf(page, name)).toContainText('never')
  await expect(rowOf(page, name)).toContainText('East Patch, West Patch')
  // The dialog is removed from the page a moment after it closes.
  await expect.poll(() => page.content()).not.toContain(key)

  const listed = () =>
    fetch(new URL(fetchViewData.path, page.url()), {
      method: fetchViewData.method,
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ tenant: 'northgate', listing: 'EmergencyLights' }),
    })
  const answer = await listed()
  expect(answer.status).toBe(200)
  const { data } = (await answer.json()) as { data: { rows: unknown[] } }
  expect(data.rows.length).toBeGreaterThan(0)
  await page.reload()
  await expect(rowOf(page, name)).not.toContainText('never')

  await button(page, `Revoke: ${name}`).click()
  await dialog(page).getByRole('button', { name: 'Revoke' }).click()
  await expect(rowOf(page, name)).toContainText('Revoked')
  const refused = await listed()
  expect(refused.status).toBe(401)
  expect(await refused.json()).toMatchObject({ message: 'This API key was revoked.' })
})

test('a key can administer users if its role allows it, and the list shows this', async ({ pageOf }) => {
  const page = await pageOf(manager)
  await page.goto(keys)
  const name = `Staff list ${Date.now()}`
  await button(page, 'Add API key').click()
  await dialog(page).getByLabel('Name').fill(name)
  await expect(dialog(page).getByLabel('Role')).toHaveValue(/Guest/)
  await expect(dialog(page).getByLabel('Users')).toHaveCount(0)
  await dialog(page).getByLabel('Role').click()
  await page.getByRole('option', { name: 'Manager' }).click()
  await dialog(page).getByLabel('Users').click()
  await page.getByRole('option', { name: 'Invite, change and remove them' }).click()
  await dialog(page).getByRole('button', { name: 'Add' }).click()
  await dialog(page).getByRole('button', { name: 'Done' }).click()
  await expect(rowOf(page, name)).toContainText('administers users')

  const other = await pageOf('contractor@multi.example')
  await other.goto('/northgate/Users')
  await button(other, 'Delete: Priya Nair').click()
  await expect(dialog(other)).toContainText(/API keys? that Priya Nair made still works?: .*Staff list \d+/)
  await dialog(other).getByRole('button', { name: 'Cancel' }).click()

  await button(page, `Revoke: ${name}`).click()
  await dialog(page).getByRole('button', { name: 'Revoke' }).click()
  await expect(rowOf(page, name)).toContainText('Revoked')
})

test('users who may not create keys see neither the tab nor the pages', async ({ pageOf }) => {
  const page = await pageOf('guest@northgate.example')
  for (const address of [keys, webhooks]) {
    await page.goto(address)
    await expect(page.getByText("You don't have permission", { exact: false }).first()).toBeVisible()
    await expect(page.getByRole('grid')).toHaveCount(0)
  }
})

interface Message {
  headers: Record<string, string>
  body: string
}

const isTrial = (body: string) => (JSON.parse(body) as { type: string }).type === trialEvent

test('a webhook is added, tested, verified with the documented code, and sent again with the same id', async ({
  pageOf,
  expectedErrors,
}) => {
  // One error for the rejected address, and one for the log of the deleted endpoint, which is requested at the same moment.
  expectedErrors.push(consoleText(400), consoleText(404))
  const messages: Message[] = []
  const receiver = createServer((request, response) => {
    let body = ''
    request.on('data', (chunk) => (body += String(chunk)))
    request.on('end', () => {
      // Device changes during the test are delivered too.
      if (isTrial(body)) messages.push({ headers: request.headers as Record<string, string>, body })
      response.end('Thank you')
    })
  })
  await new Promise<void>((resolve) => void receiver.listen(0, '127.0.0.1', resolve))
  try {
    const page = await pageOf(manager)
    await page.goto(webhooks)
    await expect(rowOf(page, demoIntegrations.webhook)).toContainText('Disabled')
    const name = `Receiver ${Date.now()}`
    await button(page, 'Add webhook').click()
    await dialog(page).getByLabel('Name').fill(name)
    await dialog(page).getByLabel('Address').fill('https://10.0.0.1/hook')
    await dialog(page).getByRole('button', { name: 'Add' }).click()
    await expect(dialog(page)).toContainText('must be a public address')
    await dialog(page)
      .getByLabel('Address')
      .fill(`http://127.0.0.1:${(receiver.address() as AddressInfo).port}/hook`)
    await dialog(page).getByRole('button', { name: 'Add' }).click()
    await expect(dialog(page)).toContainText('it is not shown again')
    const secret = (await dialog(page).locator('[data-secret]').textContent())!
    await dialog(page).getByRole('button', { name: 'Done' }).click()

    await page.getByRole('link', { name }).click()
    await button(page, 'Send test message').click()
    await expect(toast(page, 'Test message queued')).toBeVisible()
    const grid = page.getByRole('grid', { name: `Log of ${name}` })
    // Other messages may be delivered first.
    const ofTrial = grid.getByRole('row').filter({ has: button(page, /^Details: Test message/) })
    await expect(ofTrial).toContainText('Delivered')
    expect(messages).toHaveLength(1)
    expect(isOurs(secret, messages[0]!.headers, messages[0]!.body)).toBe(true)
    expect(isOurs(secret, messages[0]!.headers, `${messages[0]!.body} `)).toBe(false)
    await button(page, /^Details: Test message/).click()
    await expect(dialog(page)).toContainText('Thank you')
    await expect(dialog(page)).toContainText(messages[0]!.headers['webhook-id']!)
    await dialog(page).getByRole('button', { name: 'Send again' }).click()
    await expect.poll(() => messages.length).toBe(2)
    expect(messages[1]!.headers['webhook-id']).toBe(messages[0]!.headers['webhook-id'])

    await button(page, 'Delete').click()
    await dialog(page).getByRole('button', { name: 'Delete' }).click()
    await expect(page).toHaveURL(webhooks)
    await expect(rowOf(page, name)).toHaveCount(0)
  } finally {
    receiver.closeAllConnections()
    receiver.close()
  }
})
