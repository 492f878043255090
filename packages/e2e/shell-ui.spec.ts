import type { Page } from '@playwright/test'
import { hold, sidebar } from './fixtures/portal.ts'
import { expect, test } from './fixtures/test.ts'

const main = (page: Page) => page.getByRole('main')

test('a developer has all of Lighting, and every area and tab whose feature is off; loading says so [core-2.3-24] [core-6-25] [est-2.7-6]', async ({
  pageOf,
}) => {
  test.slow()
  const page = await pageOf('dev@caretaker.example')
  const release = await hold(page, '**/api/session')
  await page.goto('/harbour/EmergencyLights')
  await expect(main(page)).toHaveText('Loading ...')
  release()
  const group = sidebar(page)
    .getByRole('listitem')
    .filter({ has: page.getByRole('button', { name: 'Lighting' }) })
  await expect(group.getByRole('link')).toHaveText([
    'Emergency Lights',
    'Networking Devices',
    'Buildings',
    'Test Schedules',
    'Test Results',
  ])
  // harbour has bought none of these.
  for (const [area, heading] of [
    ['Properties', 'Properties'],
    ['ManagedService', 'Managed Service'],
    ['HomeHubs', 'Home hubs'],
    ['Bcms', 'Boilers'],
  ] as const) {
    await page.goto(`/harbour/${area}`)
    await expect(page.getByRole('heading', { level: 1, name: heading })).toBeVisible()
    await expect(page.getByText("You don't have permission.")).toHaveCount(0)
  }
  await page.goto('/harbour/Settings/residents')
  await expect(main(page).getByRole('grid', { name: 'Residents' })).toBeVisible()
})
