import { readFile } from 'node:fs/promises'
import type { Download, Page } from '@playwright/test'
import { getReports, startReport } from '@caretaker/contract/reports.ts'
import { dayAt } from '@caretaker/rules/calendar/days.ts'
import { monthAfter, monthOf, monthText, monthWords } from '@caretaker/rules/reports/months.ts'
import { findings } from './fixtures/axe.ts'
import { newClient } from './fixtures/client.ts'
import { caretaker } from './fixtures/operator.ts'
import { sidebar } from './fixtures/portal.ts'
import { consoleText, expect, test } from './fixtures/test.ts'

test.describe.configure({ timeout: 180_000 })

const manager = 'manager@northgate.example'
const today = () => dayAt(Date.now(), 'Europe/London')
const card = (page: Page, name: string) => page.getByRole('region', { name, exact: true })
const tab = (page: Page, name: string) =>
  page.getByRole('navigation', { name: 'Sections of this page' }).getByRole('link', { name, exact: true })
/** The label of a month's button. */
const key = (month: { year: number; month: number }) => `${monthWords(month).slice(0, 3)} ${month.year}`
/** A worker writes reports. */
const written = { timeout: 60_000 }

async function contentOf(download: Download): Promise<string> {
  return readFile((await download.path())!, 'utf8')
}

test('reports are offered as cards, created directly or customised, and kept under My Reports [core-2.4-46] [core-2.4-47] [est-2.6-1] [est-2.6-2] [est-7.5-5] [est-4-65]', async ({
  pageOf,
}) => {
  const page = await pageOf(manager)
  await page.goto('/northgate/Dashboard')
  await sidebar(page).getByRole('link', { name: 'Reporting' }).click()
  await expect(page).toHaveURL('/northgate/Reporting')
  await expect(page.getByRole('heading', { name: 'Report Manager' })).toBeVisible()
  for (const name of ['Overview', 'Damp and mould', 'Fuel poverty', 'Failed emergency lights'])
    await expect(card(page, name)).toBeVisible()
  await expect(tab(page, 'Reports')).toHaveAttribute('aria-current', 'page')
  await expect(page.getByText('Emergency lighting compliance')).toHaveCount(0)

  // Downloaded directly, the report covers the current month as a workbook; the button is disabled meanwhile.
  const running = monthOf(today())
  await expect(card(page, 'Overview')).toContainText(`${monthWords(running)}, so far`)
  const first = page.waitForEvent('download', written)
  const asked = page.waitForRequest((request) => request.url().endsWith('/reports/runs') && request.method() === 'POST')
  await card(page, 'Overview').getByRole('button', { name: 'Download' }).click()
  expect((await asked).postDataJSON()).toEqual({ reportType: 'Overview', month: running, tagIds: [], format: 'xlsx' })
  await expect(card(page, 'Overview').getByRole('button', { name: 'Preparing …' })).toBeDisabled()
  expect((await first).suggestedFilename()).toBe(`${monthText(running)}-Overview.xlsx`)
  await expect(card(page, 'Overview').getByRole('button', { name: 'Download' })).toBeEnabled()

  // In the customised report, last month is preset, the current month is not offered, and years start with 2019.
  await card(page, 'Damp and mould').getByRole('button', { name: 'Customise' }).click()
  const panel = page.getByRole('region', { name: 'Customise Damp and mould' })
  const last = monthAfter(running, -1)
  await expect(panel.getByRole('button', { name: key(last) })).toHaveAttribute('aria-pressed', 'true')
  await expect(panel.getByRole('button', { name: key(running) })).toHaveCount(0)
  await expect(panel.getByLabel('Year', { exact: true }).locator('option').last()).toHaveText('2019')
  await panel
    .getByRole('combobox', { name: 'Tags' })
    .or(panel.getByLabel('Tags', { exact: true }))
    .first()
    .click()
  await expect(page.getByRole('option', { name: 'East Patch' })).toBeVisible()
  await expect(page.getByRole('option', { name: 'Default' })).toHaveCount(0)
  await page.getByRole('option', { name: 'East Patch' }).click()
  await page.keyboard.press('Escape')
  await panel.getByRole('radio', { name: 'CSV' }).check()
  const second = page.waitForEvent('download', written)
  await panel.getByRole('button', { name: 'Download' }).click()
  const file = await second
  expect(file.suggestedFilename()).toBe(`${monthText(last)}-DampAndMould.csv`)
  expect(await contentOf(file)).toContain('"Property REF","Address","Postcode","Room","Sensor"')
  expect(await findings(page)).toEqual([])

  await tab(page, 'My Reports').click()
  await expect(page).toHaveURL('/northgate/Reporting/myReports')
  const kept = page.waitForEvent('download')
  await page
    .getByRole('button', { name: `Download Damp and mould, ${monthWords(last)}` })
    .first()
    .click()
  expect(await contentOf(await kept)).toContain('"Property REF"')
  expect(await findings(page)).toEqual([])
})

test.describe('a report that fails', () => {
  test.use({ expectedErrors: [consoleText(503)] })

  test('is shown as failed and can be tried again; a user without reports sees none [est-2.6-21] [est-8-13]', async ({
    pageOf,
  }) => {
    const page = await pageOf(manager)
    const runs = `**${startReport.path.replace('{tenant}', 'northgate')}`
    await page.route(runs, (route) =>
      route.request().method() === 'POST' ? route.fulfill({ status: 503, json: {} }) : route.continue(),
    )
    await page.goto('/northgate/Reporting')
    await card(page, 'Fuel poverty').getByRole('button', { name: 'Download' }).click()
    await expect(page.getByText('Failed to download report').first()).toBeVisible()
    await expect(card(page, 'Overview').getByRole('button', { name: 'Download' })).toBeEnabled()
    await page.unroute(runs)
    const again = page.waitForEvent('download', written)
    await card(page, 'Fuel poverty').getByRole('button', { name: 'Retry' }).click()
    expect((await again).suggestedFilename()).toMatch(/FuelPoverty\.xlsx$/)
    await page.route(`**${getReports.path.replace('{tenant}', 'northgate')}`, (route) =>
      route.fulfill({ json: { reports: [], tags: [], today: today() } }),
    )
    await page.reload()
    await expect(page.getByText('No reports')).toBeVisible()
  })
})

test("tabs depend on the client's features, and a schedule is created and deleted [core-2.4-48] [est-2.6-3] [est-2.6-4] [est-2.6-5] [est-2.6-6] [est-2.6-7] [est-2.6-8] [est-2.7-7]", async ({
  page,
}) => {
  const { tenant } = await newClient(page, 'Report Homes')
  const turn = (feature: string) => caretaker('feature', 'set', '--tenant', tenant, '--name', feature, '--on')
  const tabs = page.getByRole('navigation', { name: 'Sections of this page' })
  await page.goto(`/${tenant}/Reporting`)
  await expect(card(page, 'Overview')).toBeVisible()
  await turn('ReportPageWithTab')
  await page.reload()
  await expect(card(page, 'Overview')).toBeVisible()
  await expect(tabs).toHaveCount(0)
  // A user who leaves the page while the report is written finds it on its card later, without browser history.
  const started = page.waitForResponse(
    (one) => one.url().endsWith('/reports/runs') && one.request().method() === 'POST',
  )
  await card(page, 'Overview').getByRole('button', { name: 'Download' }).click()
  expect((await started).status()).toBe(202)
  await page.goto('about:blank')
  await page.goto(`/${tenant}/Reporting`)
  const running = monthOf(today())
  const kept = card(page, 'Overview').getByRole('button', { name: `Save Overview, ${monthWords(running)}` })
  await expect(kept).toBeVisible(written)
  const file = page.waitForEvent('download')
  await kept.click()
  expect((await file).suggestedFilename()).toBe(`${monthText(running)}-Overview.xlsx`)
  await turn('ReportHistory')
  await page.reload()
  await expect(tabs.getByRole('link')).toHaveText(['Reports', 'My Reports'])
  await tab(page, 'My Reports').click()
  await page.getByRole('button', { name: `Delete Overview, ${monthWords(running)}` }).click()
  await expect(page.getByText('No reports')).toBeVisible()
  await turn('ReportScheduling')
  await page.reload()
  await expect(tabs.getByRole('link')).toHaveText(['Reports', 'My Reports', 'My Schedules'])
  await tab(page, 'My Schedules').click()
  await expect(page).toHaveURL(`/${tenant}/Reporting/mySchedules`)
  await expect(page.getByText('No schedules')).toBeVisible()
  await page.getByRole('button', { name: 'Add schedule' }).click()
  const asked = page.getByRole('dialog', { name: 'Add schedule' })
  // The dialog has the default width, half of the page.
  await expect.poll(async () => (await asked.boundingBox())!.width).toBeCloseTo(page.viewportSize()!.width / 2, 0)
  await asked
    .getByRole('combobox', { name: 'Report' })
    .or(asked.getByLabel('Report', { exact: true }))
    .first()
    .click()
  await page.getByRole('option', { name: 'Overview' }).click()
  await asked.getByRole('button', { name: 'Add schedule' }).click()
  await expect(page.getByText('Schedule added successfully!')).toBeVisible()
  await expect(page.getByText('on the 1st at 07:00')).toBeVisible()
  expect(await findings(page)).toEqual([])
  await page.getByRole('button', { name: 'Delete schedule of Overview' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Delete', exact: true }).click()
  await expect(page.getByText('No schedules')).toBeVisible()

  // Several tabs would exist, but without the feature there is no tab bar.
  await caretaker('feature', 'set', '--tenant', tenant, '--name', 'ReportPageWithTab', '--off')
  await page.goto(`/${tenant}/Reporting`)
  await expect(card(page, 'Overview')).toBeVisible()
  await expect(tabs).toHaveCount(0)
})
