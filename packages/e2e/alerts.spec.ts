import type { Page } from '@playwright/test'
import { tenantCreateTag, tenantDeleteTag } from '@caretaker/contract/tags.ts'
import { ask } from './fixtures/api.ts'
import { toast } from './fixtures/lists.ts'
import { expect, test } from './fixtures/test.ts'

const tenant = 'northgate'
const manager = 'manager@northgate.example'
const table = (page: Page) => page.getByRole('grid', { name: 'Alerts' })
const editor = (page: Page) => page.getByRole('form')
const partOf = (page: Page, label: string) =>
  editor(page)
    .getByRole('combobox', { name: label })
    .or(editor(page).getByRole('textbox', { name: label }))
    .first()
const choose = async (page: Page, label: string, option: string) => {
  await partOf(page, label).click()
  await page.getByRole('option', { name: option, exact: true }).click()
}

test('an alert row is added, edited in its place, cancelled and deleted [dev-2settings-1 dev-4alerts-1 dev-4alerts-2 dev-4alerts-3 dev-4alerts-4 dev-4alerts-6 dev-5val-53 dev-3ent-51 dev-6other-11]', async ({
  pageOf,
}) => {
  const page = await pageOf(manager)
  const name = `A${Date.now() % 1_000_000_000}`
  await page.goto('/northgate/Settings')
  const tag = (await ask(page, tenantCreateTag, { body: { tenant, name } })).data as { id: string }
  try {
    await page.reload()
    await expect(
      page.getByRole('navigation', { name: 'Sections of this page' }).locator('[aria-current=page]'),
    ).toHaveText('Alerts Settings')
    await page.getByRole('button', { name: 'Add alert' }).click()
    await editor(page).getByRole('button', { name: 'Save' }).click()
    await expect(editor(page).getByText('Tag is required')).toBeVisible()
    await choose(page, 'Tag', name)
    await partOf(page, 'Condition').click()
    await expect(page.getByRole('option')).toHaveText([
      '',
      'FailedEquipment',
      'PreventativeMaintenance',
      'RepairedEquipment',
      'Ok',
    ])
    await page.getByRole('option', { name: 'RepairedEquipment' }).click()
    await editor(page).getByLabel('Delay').fill('6')
    await choose(page, 'Unit', 'hours')
    await editor(page).getByLabel('E-mail address').fill('crew@northgate.example')
    await expect(editor(page).getByText('In the last 30 days: 0 e-mails')).toBeVisible()
    await editor(page).getByRole('button', { name: 'Save' }).click()
    await expect(toast(page, 'Request Successful')).toBeVisible()
    const row = table(page).getByRole('row').filter({ hasText: name })
    await expect(row).toContainText('6 hours')
    await row.getByRole('button', { name: /^Edit/ }).click()
    await editor(page).getByLabel('Delay').fill('9')
    await editor(page).getByRole('button', { name: 'Cancel' }).click()
    await expect(row).toContainText('6 hours')
    await row.getByRole('button', { name: /^Edit/ }).click()
    await editor(page).getByLabel('Delay').fill('7')
    await page.keyboard.press('Enter')
    await expect(row).toContainText('7 hours')
    await row.getByRole('button', { name: /^Delete/ }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
    await expect(toast(page, 'Alert deleted!')).toBeVisible()
    await expect(row).toHaveCount(0)
  } finally {
    await ask(page, tenantDeleteTag, { body: { tenant, id: tag.id } })
  }
})

test('engineers and guests read the alerts and change none [dev-6other-11]', async ({ pageOf }) => {
  for (const who of ['lighting', 'guest']) {
    const page = await pageOf(`${who}@northgate.example`)
    await page.goto('/northgate/Settings')
    await expect(table(page).getByRole('row').nth(1)).toBeVisible()
    await expect(page.getByRole('button', { name: 'Add alert' })).toHaveCount(0)
    await expect(table(page).getByRole('button', { name: /^(Edit|Delete)/ })).toHaveCount(0)
  }
})

test('behind the bell stands what is open, and a page lists all alerts of the client [core-1-14]', async ({
  pageOf,
}) => {
  const page = await pageOf(manager)
  await page.goto('/northgate/Dashboard')
  await page.getByRole('button', { name: /^Alerts, \d+ open$/ }).click()
  const panel = page.getByRole('dialog')
  await expect(panel.getByRole('list', { name: 'Open' }).getByRole('listitem').first()).toBeVisible()
  await expect(panel.getByRole('button', { name: /^Over\s*[\d,]+\+?$/ })).toBeVisible()
  await panel.getByRole('link', { name: 'All alerts' }).click()
  await expect(page).toHaveURL('/northgate/Alerts')
  await expect(page.getByRole('heading', { name: 'Alerts', exact: true })).toBeVisible()
  await expect(page.getByRole('listitem').filter({ hasText: 'Failed equipment for' }).first()).toBeVisible()
})

test('an open alert that is so no more says when it will be over', async ({ pageOf }) => {
  const page = await pageOf(manager)
  await page.route('**/api/GetAlerts', async (route) => {
    const response = await route.fetch()
    const json = (await response.json()) as { data: { alerts: object[] } }
    Object.assign(json.data.alerts[0] ?? {}, {
      endedAt: '2026-11-26T14:30:00.000Z',
      overAt: '2026-11-26T15:00:00.000Z',
    })
    await route.fulfill({ response, json })
  })
  await page.goto('/northgate/Alerts')
  await expect(page.getByRole('main').getByRole('listitem').first()).toContainText(
    'Not so any more since 26/11/2026 14:30: over at 26/11/2026 15:00 if it stays so',
  )
})
