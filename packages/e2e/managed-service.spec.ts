import { getLicenceSummary } from '@caretaker/contract/dashboard.ts'
import { rows, sidebar } from './fixtures/portal.ts'
import { expect, test } from './fixtures/test.ts'

const manager = 'manager@northgate.example'

test('the managed service page shows the licence summary, and its rows lead to the properties [core-2.4-10 dev-2other-7 dev-2other-8 dev-3ent-11] [est-2.3-23] [est-3-21] [est-3-22]', async ({
  pageOf,
}) => {
  const page = await pageOf(manager)
  await page.goto('/northgate/Dashboard')
  const answer = page.waitForResponse(`**${getLicenceSummary.path.replace('{tenant}', 'northgate')}`)
  await sidebar(page).getByRole('link', { name: 'Managed Service' }).click()
  const { licences, total } = (await (await answer).json()) as {
    licences: { assigned: number; total: number }[]
    total: number
  }
  await expect(page.getByRole('heading', { name: 'Managed Service' })).toBeVisible()
  expect(licences.length).toBeGreaterThan(0)
  const table = page.getByRole('grid', { name: 'Licence summary' })
  await expect(rows(page)).toHaveCount(Math.min(10, licences.length * 2))
  const first = licences[0]!
  await expect(table.locator('tbody tr[data-row]').nth(0)).toContainText('Assigned')
  await expect(table.locator('tbody tr[data-row]').nth(0)).toContainText(first.assigned.toLocaleString('en-GB'))
  await expect(table.locator('tbody tr[data-row]').nth(1)).toContainText('Unassigned')
  await expect(table.locator('tbody tr[data-row]').nth(1)).toContainText(
    (first.total - first.assigned).toLocaleString('en-GB'),
  )
  expect(total).toBe(licences.reduce((sum, one) => sum + one.total, 0))
  await rows(page).first().click()
  await expect(page).toHaveURL('/northgate/Properties')
})

test('the address highlights assigned or available licences and filters expiring ones; the page shows the filter and can clear it', async ({
  pageOf,
}) => {
  const page = await pageOf(manager)
  const head = page.getByRole('main').locator('header')
  await page.goto('/northgate/ManagedService?type=assigned')
  await expect(page.getByText('Assigned licences are highlighted.')).toBeVisible()
  await expect(page.locator('tr:has([data-marked])').filter({ hasText: 'Unassigned' })).toHaveCount(0)
  await page.goto('/northgate/ManagedService?type=available')
  await expect(page.getByText('Available (unassigned) licences are highlighted.')).toBeVisible()
  await expect(head).toHaveText('Managed Service412')
  await expect(page.locator('tr:has([data-marked])').first()).toContainText('Unassigned')
  await expect(page.locator('tr:has([data-marked])').filter({ hasNotText: 'Unassigned' })).toHaveCount(0)
  const all = await rows(page).count()
  await page.goto('/northgate/ManagedService?type=expiring')
  await expect(page.locator('tr:has([data-marked])').first()).toContainText('Assigned')
  expect(await rows(page).count()).toBeLessThan(all)
  // The same rows in another order.
  await page.getByRole('button', { name: 'Licences' }).click()
  await expect(page).toHaveURL(/type=expiring/)
  await expect(page.locator('tr:has([data-marked])').first()).toBeVisible()
  await expect(page.getByText('Only licences that end within 12 months are shown.')).toBeVisible()
  await expect(head).toHaveText('Managed Service28 of 412')
  await page.getByRole('link', { name: 'Show all' }).click()
  await expect(page).toHaveURL('/northgate/ManagedService')
  await expect(rows(page)).toHaveCount(all)
  await expect(head).toHaveText('Managed Service412')
  await expect(page.locator('[data-marked]')).toHaveCount(0)
  await expect(page.getByText('highlighted')).toHaveCount(0)
})

test('a client without the feature cannot reach the managed service [core-2.4-11]', async ({ pageOf }) => {
  const page = await pageOf('manager@harbour.example')
  await page.goto('/harbour/Dashboard')
  await expect(sidebar(page).getByRole('link', { name: 'Dashboard' })).toBeVisible()
  await expect(sidebar(page).getByRole('link', { name: 'Managed Service' })).toHaveCount(0)
  await page.goto('/harbour/ManagedService')
  await expect(page.getByRole('heading', { name: 'Managed Service' })).toHaveCount(0)
  await expect(page.getByText("You don't have permission").first()).toBeVisible()
  await expect(page.getByText('This page is not enabled for this client.')).toBeVisible()
})
