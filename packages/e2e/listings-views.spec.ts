import type { Page } from '@playwright/test'
import type { ViewData } from '@caretaker/contract/devices.ts'
import { fetchViewData } from '@caretaker/contract/devices.ts'
import { exportListing } from '@caretaker/contract/devices.ts'
import { presetStatuses } from '@caretaker/rules/devices/list.ts'
import { ask } from './fixtures/api.ts'
import { rows, stillLists } from './fixtures/portal.ts'
import { expect, test } from './fixtures/test.ts'

const manager = 'manager@northgate.example'
const lights = '/northgate/EmergencyLights'
const chips = (page: Page) => page.getByRole('group', { name: 'Filters' })

async function view(page: Page, body: Parameters<typeof ask<typeof fetchViewData>>[2]['body']): Promise<ViewData> {
  return (await ask(page, fetchViewData, { body })).data as ViewData
}

const filtersText = (filters: unknown) => `filters=${encodeURIComponent(JSON.stringify(filters))}`

test('a listing is exported as CSV with the shown columns and exactly its rows [core-7.1-24 core-7.1-25]', async ({
  pageOf,
}) => {
  const page = await pageOf(manager)
  await page.goto(`${lights}/Listing/emered-warning?columns=name,serial,status&sort=serial`)
  await expect(rows(page)).not.toHaveCount(0)
  const inAll = async () => {
    const filters = [{ fieldId: 'status' as const, filterOp: 'anyof' as const, value: [...presetStatuses.warning] }]
    return (await view(page, { tenant: 'northgate', listing: 'EmergencyLights', filters })).total
  }
  const before = await inAll()
  await page.getByRole('button', { name: 'Export' }).click()
  const download = page.waitForEvent('download')
  const answer = page.waitForResponse(`**${exportListing.path}`)
  await page.getByRole('menuitem', { name: 'CSV' }).click()
  const file = await download
  const response = await answer
  expect(response.request().postDataJSON()).toMatchObject({ tenant: 'northgate' })
  const name = /filename="(.+)"/.exec(response.headers()['content-disposition']!)![1]!
  expect(name).toMatch(/^\d{4}-\d{2}-\d{2}-EmergencyLights\.csv$/)
  expect(file.suggestedFilename()).toBe(name)
  const { readFile } = await import('node:fs/promises')
  const lines = (await readFile(await file.path(), 'utf8')).trim().split('\n')
  expect(lines[0]).toContain('Name')
  // Other tests may add a row meanwhile.
  expect([before, await inAll()]).toContain(lines.length - 1)
  const serials = await rows(page).evaluateAll((all) =>
    all.map((row) => (row as HTMLTableRowElement).cells[2]!.innerText),
  )
  for (const [at, serial] of serials.entries()) expect(lines[at + 1]).toContain(serial)
})

test('going back restores page, filters and scroll position of a listing', async ({ pageOf }) => {
  const page = await pageOf(manager)
  await stillLists(page)
  const filters = filtersText([{ fieldId: 'status', filterOp: 'anyof', value: ['Ok'] }])
  await page.goto(`${lights}?${filters}&sort=-serial&page=2`)
  await expect(page.getByText('101 - 200 of')).toBeVisible()
  const scroller = page.locator('[data-scroll-restoration-id]')
  await rows(page).nth(70).scrollIntoViewIfNeeded()
  const before = await scroller.evaluate((element) => element.scrollTop)
  expect(before).toBeGreaterThan(500)
  const row = rows(page).nth(70)
  const id = await row.getAttribute('data-row')
  await row.getByRole('link').click()
  await expect(page).toHaveURL(`${lights}/${id}`)
  await page.goBack()
  await expect(row).toHaveAttribute('data-row', id!)
  await expect.poll(() => scroller.evaluate((element) => element.scrollTop)).toBe(before)
  await expect(chips(page)).toContainText('Passed')
  // Another page starts at the top.
  await page.getByRole('button', { name: 'Next page' }).click()
  await expect(page.getByText('201 - 300 of')).toBeVisible()
  await expect.poll(() => scroller.evaluate((element) => element.scrollTop)).toBe(0)
})
