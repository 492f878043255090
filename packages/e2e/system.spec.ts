import { systemFigures } from '@caretaker/rules/system/figures.ts'
import { expect, test } from './fixtures/test.ts'

const developer = 'dev@caretaker.example'
const manager = 'manager@northgate.example'
const address = '/northgate/Settings/System'

test('a developer opens the state of the installation from the settings', async ({ pageOf }) => {
  const page = await pageOf(developer)
  await page.goto('/northgate/Settings')
  await page.getByRole('navigation', { name: 'Sections of this page' }).getByRole('link', { name: 'System' }).click()
  await expect(page).toHaveURL(address)
  const main = page.getByRole('main')
  await expect(main.getByRole('heading', { level: 1, name: 'System' })).toBeVisible()
  for (const { label } of Object.values(systemFigures))
    await expect(main.getByRole('term').filter({ hasText: label })).toBeVisible()
  // The demo runs all parts in one process, which has every figure.
  await expect(main.getByText('Answered by api, ingest, worker')).toBeVisible()
  await expect(main.getByText('No data reported')).toHaveCount(0)
  const jobs = main.getByRole('grid', { name: 'Jobs' })
  await expect(jobs.getByRole('row').filter({ hasText: 'connections' })).toBeVisible({ timeout: 45_000 })
})

test('a manager is not offered it', async ({ pageOf }) => {
  const page = await pageOf(manager)
  await page.goto('/northgate/Settings')
  const tabs = page.getByRole('navigation', { name: 'Sections of this page' })
  await expect(tabs.getByRole('link', { name: 'Tags', exact: true })).toBeVisible()
  await expect(tabs.getByRole('link', { name: 'System' })).toHaveCount(0)
  await page.goto(address)
  await expect(page.getByText('Your role in this client does not include this page.')).toBeVisible()
})
