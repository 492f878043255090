import type { Locator } from '@playwright/test'
import { rowIds, rows, stillLists } from './fixtures/portal.ts'
import { expect, test } from './fixtures/test.ts'

const manager = 'manager@northgate.example'
const lights = '/northgate/EmergencyLights'

test('rows are real links with an address and middle-click', async ({ pageOf }) => {
  const page = await pageOf(manager)
  await stillLists(page)
  await page.goto(`/northgate/Dashboard`)
  await page
    .getByRole('article', { name: 'Failed lights' })
    .getByRole('link', { name: /^View / })
    .click()
  await expect(rows(page)).not.toHaveCount(0)
  const ids = await rowIds(page)
  const links = rows(page).locator('a[data-row-link]')
  expect(await links.evaluateAll((all) => all.map((one) => one.getAttribute('href')))).toEqual(
    ids.map((id) => `${lights}/${id}`),
  )
  const openedBy = async (target: Locator) =>
    (await Promise.all([page.context().waitForEvent('page'), target.click({ button: 'middle' })]))[0]
  const newTab = await openedBy(rows(page).first().getByRole('gridcell').nth(4))
  await expect(newTab).toHaveURL(`${lights}/${ids[0]}`)
  await newTab.close()
  // The browser opens a new tab for a link, with the address above; a headless browser leaves the tab empty.
  await (await openedBy(links.first())).close()
  await expect(page).toHaveURL(/EmergencyLights/)
  await expect(rows(page)).not.toHaveCount(0)
})
