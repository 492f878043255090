import { newClient } from './fixtures/client.ts'
import { caretaker } from './fixtures/operator.ts'
import { sidebar } from './fixtures/portal.ts'
import { expect, test } from './fixtures/test.ts'

test('home hubs are there where the client has the feature, and nowhere else [core-1-7 core-2.4-36 core-6-28]', async ({
  page,
  browser,
}) => {
  const other = await browser.newPage()
  const withHubs = await newClient(page, 'With hubs')
  const without = await newClient(other, 'Without hubs')
  await caretaker('feature', 'set', '--tenant', withHubs.tenant, '--area', 'Portal', '--name', 'HomeHub', '--on')

  await page.goto(`/${withHubs.tenant}/Dashboard`)
  await sidebar(page).getByRole('link', { name: 'Home hubs' }).click()
  await expect(page).toHaveURL(new RegExp(`^[^?]*/${withHubs.tenant}/HomeHubs`))
  await expect(page.getByRole('heading', { name: 'Home hubs' })).toBeVisible()

  await other.goto(`/${without.tenant}/Dashboard`)
  await expect(sidebar(other).getByRole('link', { name: 'Dashboard' })).toBeVisible()
  await expect(sidebar(other).getByRole('link', { name: 'Home hubs' })).toHaveCount(0)
  await other.goto(`/${without.tenant}/HomeHubs`)
  await expect(other.getByRole('heading', { name: 'Home hubs' })).toHaveCount(0)
  await expect(other.getByText("You don't have permission").first()).toBeVisible()
  await other.close()
})

test('a developer is led to home hubs where the feature is off, too', async ({ pageOf }) => {
  const developer = await pageOf('dev@caretaker.example')
  await developer.goto('/harbour/HomeHubs')
  await expect(developer.getByRole('heading', { name: 'Home hubs' })).toBeVisible()
  const manager = await pageOf('manager@harbour.example')
  await manager.goto('/harbour/HomeHubs')
  await expect(manager.getByRole('heading', { name: 'Home hubs' })).toHaveCount(0)
})
