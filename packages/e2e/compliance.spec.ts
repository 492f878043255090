import { readFileSync } from 'node:fs'
import type { Page } from '@playwright/test'
import { demoHomes } from '@caretaker/demo/fixtures.ts'
import type { ViewData } from '@caretaker/contract/devices.ts'
import { fetchViewData } from '@caretaker/contract/devices.ts'
import { getBoilerRecords } from '@caretaker/contract/compliance.ts'
import { dayAfter, dayAt, dayText } from '@caretaker/rules/calendar/days.ts'
import { monthsAfter } from '@caretaker/rules/compliance/due.ts'
import { testKits } from '@caretaker/rules/compliance/records.ts'
import { dialog } from './fixtures/actions.ts'
import { ask } from './fixtures/api.ts'
import { newClient } from './fixtures/client.ts'
import { add, editor, fillGasCheck, pdf, records as table, save, standing as card } from './fixtures/compliance.ts'
import { addDevice } from './fixtures/operator.ts'
import { answerOnce, rows } from './fixtures/portal.ts'
import { consoleText, expect, test } from './fixtures/test.ts'

// The operator's command takes a while to create a client.
test.describe.configure({ timeout: 120_000 })

const png = {
  name: 'strip.png',
  mimeType: 'image/png',
  buffer: Buffer.from(
    'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
    'base64',
  ),
}

/** A demo boiler that matches a filter. */
async function boilerOf(page: Page, fieldId: string, value: string): Promise<string> {
  const body = {
    tenant: 'northgate',
    listing: 'Bcms' as const,
    filters: [{ fieldId, filterOp: 'equals' as const, value }],
  }
  const { data } = await ask(page, fetchViewData, { body })
  return (data as ViewData).rows.find(({ deviceStatus }) => deviceStatus !== 'Inventory')!.deviceId
}

test('a boiler engineer sees what is due and what a record still needs [dev-2detail-10 dev-5val-5 dev-5val-6 dev-5val-7 dev-5val-9 dev-5val-10 dev-5val-11 dev-5val-12 dev-5val-14 dev-5val-15 dev-6other-2]', async ({
  pageOf,
}) => {
  const page = await pageOf('boiler@northgate.example')
  await page.goto(`/northgate/Boilers/${await boilerOf(page, 'propertyReference', demoHomes.gasCheckDue)}`)
  await page.getByRole('link', { name: /^Compliance/ }).click()
  await expect(card(page, 'Gas safety')).toContainText(/Due (in \d+ days?|today)|Overdue/)
  await expect(card(page, 'Water treatment')).toContainText('In date')
  await expect(table(page).getByRole('row')).toHaveCount(8)

  await add(page, 'Gas safety').click()
  const gas = editor(page, 'gas safety')
  await save(page).click()
  for (const text of [
    'Certificate Number is required',
    'Date is required',
    'Result must be selected',
    'Certificate must be provided',
  ])
    await expect(gas.getByText(text, { exact: true })).toBeVisible()
  // The page shows that a check within the window keeps its date. A future date is flagged shortly after it is typed.
  await gas.getByRole('textbox', { name: /^Date/ }).fill(dayText(dayAt(Date.now(), 'Europe/London')))
  await expect(gas).toContainText(/Keeps \d+ \w+/)
  await gas.locator('input[type=file]').setInputFiles({ ...pdf, buffer: Buffer.from('<svg/>'), name: 'photo.png' })
  await expect(gas).toContainText('photo.png is not a PDF, PNG or JPEG.')
  await gas.getByRole('button', { name: 'Cancel' }).click()

  await add(page, 'Water treatment').click()
  const water = editor(page, 'water treatment')
  await save(page).click()
  for (const text of [
    'Certificate Number is required',
    'Date is required',
    'Result must be selected',
    'Testkit must be provided',
  ])
    await expect(water.getByText(text, { exact: true })).toBeVisible()
  await expect(water.getByText('Certificate must be provided')).toHaveCount(0)
  await water.getByRole('combobox', { name: 'Test kit' }).click()
  await expect(page.getByRole('option')).toHaveText([...testKits])

  // A heat pump belongs to another area and is read-only for a boiler engineer.
  await page.goto(`/northgate/Boilers/${await boilerOf(page, 'product', 'ASHP')}/compliance`)
  await expect(table(page)).toBeVisible()
  await expect(page.getByRole('button', { name: /Add/ })).toHaveCount(0)
})

test('a guest cannot add a record, but can open its certificate [dev-6other-1 dev-8err-36]', async ({
  pageOf,
  expectedErrors,
}) => {
  expectedErrors.push(consoleText(503))
  const page = await pageOf('guest@northgate.example')
  await page.goto(`/northgate/Boilers/${await boilerOf(page, 'propertyReference', demoHomes.gasCheckDue)}/compliance`)
  await expect(table(page).getByRole('row')).toHaveCount(8)
  await expect(page.getByRole('button', { name: /Add|Change when/ })).toHaveCount(0)
  const certificate = table(page)
    .getByRole('button', { name: /\.pdf$/ })
    .first()
  const name = (await certificate.innerText()).trim()
  await certificate.click()
  const shown = dialog(page, name)
  await expect(shown.getByRole('button', { name: 'Download' })).toBeEnabled()
  // The certificate opens on the page, in the browser's own reader if it has one.
  if (await page.evaluate(() => navigator.pdfViewerEnabled)) {
    const frame = shown.locator('iframe')
    await expect(frame).toHaveAttribute('src', /^blob:/)
    await expect.poll(async () => (await frame.boundingBox())!.height).toBeGreaterThan(300)
  } else await expect(shown).toContainText('This browser cannot show PDFs in a page.')
  const download = page.waitForEvent('download')
  await shown.getByRole('button', { name: 'Download' }).click()
  expect((await download).suggestedFilename()).toBe(name)
  expect(readFileSync(await (await download).path(), 'latin1')).toMatch(/^%PDF-/)
  await shown.getByRole('button', { name: 'Close', exact: true }).last().click()

  await answerOnce(page, '**/api/GetBoilerRecordAttachment**', (route) => route.fulfill({ status: 503, json: {} }))
  const photo = table(page)
    .getByRole('button', { name: /\.png$/ })
    .first()
  await photo.click()
  await expect(page.getByText('Failed to load image')).toBeVisible()
  await page.getByRole('button', { name: 'Try again' }).click()
  const image = page.getByRole('img', { name: /\.png$/ })
  await expect(image).toBeVisible()
  expect(await image.evaluate((element) => (element as HTMLImageElement).naturalWidth)).toBeGreaterThan(0)
})

test('an engineer adds records with and without a certificate, and a failed attempt leaves nothing behind [dev-1purpose-3 dev-5val-16 dev-6other-1 dev-8err-20 dev-8err-21 dev-8err-37 dev-9const-2]', async ({
  page,
  expectedErrors,
}) => {
  expectedErrors.push(consoleText(500), consoleText(503), 'net::ERR_FAILED')
  const { tenant } = await newClient(page, 'Due Homes')
  const { deviceId } = await addDevice(tenant, '--product', 'BX')
  const today = dayAt(Date.now(), 'Europe/London')
  const records = async () =>
    ((await ask(page, getBoilerRecords, { body: { tenant, deviceId } })).data as { serialNumber: string }[]).map(
      ({ serialNumber }) => serialNumber,
    )
  await page.goto(`/${tenant}/Boilers/${deviceId}/compliance`)
  await expect(table(page).getByText('No records')).toBeVisible()
  expect((await table(page).boundingBox())!.height).toBe(500)
  await expect(card(page, 'Gas safety')).toContainText('No record')

  // The check falls due again in ten days, so that it is due soon.
  const day = monthsAfter(dayAfter(today, 10), -12)
  const gas = await fillGasCheck(page, dayText(day))

  // Saving the record fails.
  await answerOnce(page, '**/api/AddBoilerGasSafetyRecord', (route) => route.fulfill({ status: 500, json: {} }))
  await save(page).click()
  await expect(gas.getByText('Failed to add record')).toBeVisible()
  // The record is saved, but uploading its certificate fails.
  await answerOnce(page, '**/api/AddBoilerRecordAttachment', (route) => route.abort())
  await gas.getByRole('button', { name: 'Try again' }).click()
  await expect(gas.getByText('Failed to add record')).toBeVisible()
  await expect(gas.getByLabel(/^Certificate Number/)).toHaveValue('LGSR-1')
  await expect(gas).toContainText('LGSR-1.pdf')
  expect(await records()).toEqual([])
  await gas.getByRole('button', { name: 'Try again' }).click()
  await expect(page.getByText('Request Successful')).toBeVisible()
  await expect(table(page).getByRole('row', { name: /LGSR-1 Pass/ })).toContainText(dayText(monthsAfter(day, 12)))
  await expect(card(page, 'Gas safety')).toContainText(/Due in \d+ days/)
  await expect(page.getByRole('link', { name: /^Compliance/ })).toHaveText(/1$/)

  await add(page, 'Water treatment').click()
  const water = editor(page, 'water treatment')
  const fill = async (number: string) => {
    await water.getByLabel(/^Certificate Number/).fill(number)
    await water.getByRole('textbox', { name: /^Date/ }).fill(dayText(today))
    await water
      .getByRole('radiogroup', { name: /^Result/ })
      .getByText('Fail')
      .click()
    await water.getByRole('combobox', { name: 'Test kit' }).click()
    await page.getByRole('option', { name: 'Sentinel X100 Quick Test' }).click()
  }
  await fill('WT-1')
  await save(page).click()
  await expect(table(page).getByRole('row', { name: /WT-1 Fail/ })).toContainText('None')
  await expect(card(page, 'Water treatment')).toContainText(`Failed ${dayText(today)}`)
  // If its file does not arrive, a record is removed again.
  await add(page, 'Water treatment').click()
  await fill('WT-2')
  await water.locator('input[type=file]').setInputFiles(png)
  await answerOnce(page, '**/api/AddBoilerRecordAttachment', (route) => route.abort())
  await save(page).click()
  await expect(water.getByText('Failed to add record')).toBeVisible()
  expect(await records()).toEqual(['WT-1', 'LGSR-1'])

  // Managers can change the figures for due dates.
  const change = card(page, 'Gas safety').getByRole('button', { name: 'Change when gas safety is due' })
  await change.click()
  const figures = dialog(page, 'When gas safety is due')
  await figures.getByRole('textbox', { name: /^Days before/ }).fill('9')
  await figures.getByRole('textbox', { name: /^Months before/ }).fill('12')
  await expect(figures).toContainText('Must be shorter than the time between checks')
  await expect(figures.getByRole('button', { name: 'Save' })).toBeDisabled()
  await figures.getByRole('textbox', { name: /^Months before/ }).fill('2')
  await figures.getByRole('button', { name: 'Save' }).click()
  await expect(figures).toHaveCount(0)
  // It counts as due soon from two months before the date, even with fewer days of notice.
  await expect(card(page, 'Gas safety')).toContainText(/Due in \d+ days/)
  await change.click()
  await figures.getByRole('textbox', { name: /^Days before/ }).fill('30')
  await figures.getByRole('button', { name: 'Save' }).click()
  await expect(card(page, 'Gas safety')).toContainText(/Due in \d+ days/)

  // The due check is listed among the items that need attention, with a link to exactly those rows.
  await page.goto(`/${tenant}`)
  const checks = page.getByRole('article', { name: 'Gas checks of boilers due' })
  await expect(checks).toContainText(/^1 ?Gas checks of boilers due/)
  await checks.getByRole('link', { name: 'View 1 boiler' }).click()
  await expect(rows(page)).toHaveCount(1)
  await expect(rows(page).first()).toContainText(/Due in \d+ days/)
})
