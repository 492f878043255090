import type { Page } from '@playwright/test'
import { demoPeople } from '@caretaker/demo/fixtures.ts'
import { expect, test } from '../fixtures/test.ts'
import { waitToRead, report } from './figures.ts'

const tenant = 'northgate'
const minutes = Number(process.env.BENCH_MINUTES)
/** Listings in which users search. */
const lists = ['EmergencyLights', 'Boilers', 'NetworkingDevices', 'Properties']
/** The longest time that a user stays on a page, in ms. */
const longestRead = 5000

test('users work with the portal', async ({ browser, signedIn }) => {
  test.setTimeout((minutes + 5) * 60_000)
  // Users who see the whole client, so that every listing has rows.
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
      await readPage(page)
      await page.goto(`/${tenant}/${lists[visit % lists.length]}`)
      const links = page.locator('main [role="row"] a, main tbody a')
      await expect(links.first()).toBeVisible()
      await readPage(page)
      const count = await links.count()
      await links.nth((7 * visit) % count).click()
      await expect(page.getByRole('main').getByRole('heading').first()).toBeVisible()
      await readPage(page)
      pages += 3
    }
    await context.close()
  }
  await Promise.all(people.map(({ email }, person) => use(email, person)))
  report({ people: people.length, pages })
})

const readPage = async (page: Page) => {
  await waitToRead(page)
  await page.waitForTimeout(Math.random() * longestRead)
}
