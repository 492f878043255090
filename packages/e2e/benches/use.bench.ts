import type { Page } from '@playwright/test'
import { demoPeople } from '@caretaker/demo/fixtures.ts'
import { expect, test } from '../fixtures/test.ts'
import { looked, report } from './figures.ts'

const tenant = 'northgate'
const minutes = Number(process.env.BENCH_MINUTES)
/** Lists in which people look for something. */
const lists = ['EmergencyLights', 'Boilers', 'NetworkingDevices', 'Properties']
/** How much longer than a glance a person stays on a page at most, in ms. */
const longestRead = 5000

test('people use the portal', async ({ browser, signedIn }) => {
  test.setTimeout((minutes + 5) * 60_000)
  // People who see the whole client: each list has rows for them.
  const people = demoPeople.filter(
    ({ roles, carries }) => !carries && ['Manager', 'Admin', 'Developer'].includes(roles[tenant] ?? ''),
  )
  const until = Date.now() + minutes * 60_000
  let pages = 0
  const use = async (email: string, person: number) => {
    const context = await browser.newContext({ storageState: await signedIn(email) })
    const page = await context.newPage()
    for (let visit = person; Date.now() < until; visit++) {
      await page.goto(`/${tenant}/Dashboard`)
      await expect(page.getByRole('heading').first()).toBeVisible()
      await stay(page)
      await page.goto(`/${tenant}/${lists[visit % lists.length]}`)
      const links = page.locator('main [role="row"] a, main tbody a')
      await expect(links.first()).toBeVisible()
      await stay(page)
      const count = await links.count()
      await links.nth((7 * visit) % count).click()
      await expect(page.getByRole('main').getByRole('heading').first()).toBeVisible()
      await stay(page)
      pages += 3
    }
    await context.close()
  }
  await Promise.all(people.map(({ email }, person) => use(email, person)))
  report({ people: people.length, pages })
})

const stay = async (page: Page) => {
  await looked(page)
  await page.waitForTimeout(Math.random() * longestRead)
}
