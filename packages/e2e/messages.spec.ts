import { toast } from './fixtures/lists.ts'
import { expect, test } from './fixtures/test.ts'

// The test measures how long animations take.
test.use({ contextOptions: { reducedMotion: 'no-preference' } })

const manager = 'manager@northgate.example'

test('a toast that requires an action stays until it is dismissed [core-4.4-17 est-2.7-10]', async ({
  pageOf,
  expectedErrors,
}) => {
  expectedErrors.push('net::ERR_FAILED', 'Failed to fetch dynamically imported module')
  const page = await pageOf(manager)
  await page.goto('/northgate/Dashboard')
  await expect(page.getByRole('heading', { name: 'Needs attention' })).toBeVisible()
  await page.route(/assets\/user-menu-/, (route) => route.abort())
  await page.getByRole('button', { name: /Logged in as/ }).click()
  const asking = toast(page, 'A part of Caretaker could not be loaded, perhaps because of an update.')
  await expect(asking.first()).toBeVisible()
  await page.clock.install()
  await page.clock.fastForward(60_000)
  await expect(asking.first()).toBeVisible()
  await page.unrouteAll()
  await asking.first().getByRole('button', { name: 'Reload' }).click()
  await expect(page.getByRole('heading', { name: 'Needs attention' })).toBeVisible()
  await expect(asking).toHaveCount(0)
})
