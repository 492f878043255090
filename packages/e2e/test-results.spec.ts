import { randomUUID } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import type { Page, Route } from '@playwright/test'
import { connectDevice } from './fixtures/device.ts'
import { dialog } from './fixtures/actions.ts'
import { addDevice } from './fixtures/operator.ts'
import { consoleText, expect, test } from './fixtures/test.ts'

// These tests change the same demo rows, so they run one after the other.
test.describe.configure({ mode: 'default' })

const admin = 'admin@caretaker.example'
const developer = 'dev@caretaker.example'
const manager = 'manager@northgate.example'
const address = '/northgate/EmergencyTestResults'
const table = (page: Page) => page.getByRole('grid', { name: 'Test results' })
const rows = (page: Page) => page.locator('tr[data-row]')
const series = (page: Page, name: string) =>
  dialog(page, name).getByRole('list', { name: 'Series' }).locator('li[data-series]')

/** A light whose lamp went dark after 112 minutes of three hours, but which reports a pass. */
async function testedLight() {
  const light = await addDevice('northgate')
  const device = await connectDevice(light)
  await device.publish('tests', {
    ...{ eventId: randomUUID(), testType: 'T180', start: Date.now() - 3 * 3_600_000, result: 'Passed' },
    componentStates: { Battery: 'Ok', Inverter: 'Ok', Lamp: 'Ok', Emered: 'Ok' },
    series: Array.from({ length: 113 }, (_, minute) => ({
      ...{ seconds: minute * 60, batteryVoltage: 4 - minute / 112, lampPower: minute < 112 ? 2 : 0, lampCurrent: 0.2 },
      ...{ lampVoltage: 9, pLive: 0 },
    })),
  })
  await device.end()
  return light
}

test('developers are led to a page with all test results, which is open to all users who see lighting; only administrators see more than three series [core-2.3-25 core-2.4-26 core-2.4-27 dev-2emerg-1 dev-2emerg-2 dev-2emerg-3 dev-2emerg-6 dev-2detail-14 dev-4tests-12 dev-4tests-14 dev-4tests-15 est-6-2 est-6-4 est-1-21]', async ({
  pageOf,
  expectedErrors,
}) => {
  const light = await testedLight()
  const [page, led] = [await pageOf(manager), await pageOf(developer)]
  await led.goto('/northgate/EmergencyLights')
  await led.getByRole('navigation').getByRole('link', { name: 'Test Results' }).click()
  await expect(led).toHaveURL(new RegExp(`${address}$`))
  await expect(led.getByRole('heading', { name: 'Test Results' })).toBeVisible()

  await page.goto('/northgate/EmergencyLights')
  await expect(page.getByRole('navigation').getByRole('link', { name: 'Emergency Lights', exact: true })).toBeVisible()
  await expect(page.getByRole('navigation').getByRole('link', { name: 'Test Results' })).toHaveCount(0)
  await page.goto(address)
  await expect(rows(page)).toHaveCount(10)
  // The demo has too many tests to sort by anything but date.
  expectedErrors.push(consoleText(400))
  await table(page).getByRole('columnheader', { name: 'Result' }).getByRole('button').click()
  await expect(page.getByText('Sort by test date, or narrow the filter to at most 10,000 tests.')).toBeVisible()
  await page.goto(`${address}?type=T180`)
  await expect(rows(page)).toHaveCount(10)
  await table(page).getByRole('columnheader', { name: 'Result' }).getByRole('button').click()
  await expect(page).toHaveURL(/sort=result/)
  await expect(rows(page).first()).toContainText('Passed')
  await table(page).getByRole('columnheader', { name: 'Result' }).getByRole('button').click()
  await expect(rows(page).first()).toContainText('Failed')

  for (const [name, sort] of [
    ['Building', 'buildingName'],
    ['Reason', 'reason'],
  ] as const) {
    await table(page).getByRole('columnheader', { name }).getByRole('button').click()
    await expect(page).toHaveURL(new RegExp(`sort=${sort}`))
    await expect(table(page).getByRole('columnheader', { name })).toHaveAttribute('aria-sort', 'ascending')
    await expect(rows(page)).toHaveCount(10)
  }

  const filter = page.getByRole('searchbox')
  await filter.fill('nothing is called this')
  await expect(page.getByText('No test results')).toBeVisible()
  await filter.fill(light.serial)
  await expect(rows(page)).toHaveCount(1)
  await expect(rows(page)).toContainText('Predicted Failed Components: Battery.')
  await expect(page.getByRole('button', { name: /^Update T180/ })).toHaveCount(0)
  const download = page.waitForEvent('download')
  await page.getByRole('button', { name: 'Download' }).click()
  const file = await download
  expect(file.suggestedFilename()).toMatch(/^\d\d-[A-Z][a-z]{2}-\d{4}-test-results\.csv$/)
  const lines = (await readFile(await file.path(), 'utf8')).trimEnd().split('\r\n')
  expect(lines).toHaveLength(2)
  expect(lines[1]).toContain('"T180","Failed","Predicted Failed Components: Battery."')
  await page.getByRole('button', { name: /^Chart of T180/ }).click()
  const chart = dialog(page, /^T180 of/)
  await expect(chart).toContainText('Went out after 1 h 52 min of 3 h.')
  await expect(chart).toContainText('Reported by the light: Passed')
  await expect(chart.getByRole('list', { name: 'Series' }).locator('li[data-series]')).toHaveCount(3)
  await expect(chart.locator('[data-axis=secondary]')).toHaveCount(0)

  await page.keyboard.press('Escape')

  // The months view has a row for each light; the worst result of a month opens the same chart.
  await page.getByRole('radiogroup', { name: 'View' }).getByText('Months').click()
  await expect(page).toHaveURL(/view=months/)
  const months = page.getByRole('grid', { name: 'Tests by month' }).locator('tr[data-row]')
  await expect(months).toHaveCount(1)
  await months.getByRole('button', { name: /^T180 of .*: Failed$/ }).click()
  await expect(dialog(page, /^T180 of/)).toContainText('Went out after 1 h 52 min')
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: 'Year before' }).click()
  await expect(months).toHaveCount(1)
  await expect(months.getByRole('button')).toHaveCount(0)

  // The same on the light's own page.
  await page.goto(`/northgate/EmergencyLights/${light.deviceId}/testResults`)
  await expect(page.getByRole('main').getByRole('link', { name: /^Test Results/ })).toBeVisible()
  await expect(
    page
      .getByRole('region', { name: 'Tests by month' })
      .getByRole('button', { name: /^T180, .*: Failed/ })
      .first(),
  ).toBeVisible()
  const own = page.getByRole('table', { name: 'Test results' })
  await expect(own).toContainText('T180')
  await expect(page.getByRole('button', { name: /^Update T180/ })).toHaveCount(0)

  // A click on a heading sorts the table; the address keeps the order, and the export uses it.
  const device = await connectDevice(light)
  await device.publish('tests', {
    ...{ eventId: randomUUID(), testType: 'T0', start: Date.now(), result: 'Passed', series: [] },
    componentStates: { Battery: 'Ok', Inverter: 'Ok', Lamp: 'Ok', Emered: 'Ok' },
  })
  await device.end()
  await expect(own.locator('tbody tr')).toHaveText([/T0.*Passed/, /T180.*Failed/])
  await own.getByRole('columnheader', { name: 'Test date' }).getByRole('button').click()
  await expect(own.locator('tbody tr')).toHaveText([/T180/, /T0/])
  await expect(page).toHaveURL(/sort=testDate/)
  await own.getByRole('columnheader', { name: 'Result' }).getByRole('button').click()
  await expect(own.locator('tbody tr')).toHaveText([/Passed/, /Failed/])
  await page.reload()
  await expect(own.locator('tbody tr')).toHaveText([/Passed/, /Failed/])
  const kept = page.waitForEvent('download')
  await page.getByRole('button', { name: 'Download' }).click()
  const written = (await readFile(await (await kept).path(), 'utf8')).trimEnd().split('\r\n')
  expect(written).toHaveLength(3)
  expect(written[1]).toContain('"T0","Passed"')
  expect(written[2]).toContain('"T180","Failed"')
})

test('an administrator sees all series with a second axis, and corrects a result, whose text follows from the parts [dev-2emerg-4 dev-4tests-1 dev-4tests-2 dev-4tests-3 dev-4tests-4 dev-4tests-13 dev-4tests-16 dev-9const-11 est-1-20 est-6-1 est-6-3 est-9-2 est-9-17]', async ({
  pageOf,
}) => {
  const light = await testedLight()
  const page = await pageOf(admin)
  await page.setViewportSize({ width: 1600, height: 1000 })
  await page.goto(`${address}?filter=${light.serial}`)
  await expect(rows(page)).toHaveCount(1)
  await page.getByRole('button', { name: /^Update T180/ }).click()
  const update = dialog(page, 'Update test result')
  await expect(series(page, 'Update test result')).toHaveCount(5)
  const second = update.locator('li[data-axis=secondary]')
  await expect(second).toHaveCount(2)
  await expect(second.nth(0)).toContainText('Battery')
  await expect(second.nth(1)).toContainText('PLive')
  await expect(update.locator('svg g[data-axis=secondary] text').first()).toBeVisible()
  // 120 rem of 10 px.
  const rem = await page.evaluate(() => parseFloat(getComputedStyle(document.documentElement).fontSize))
  await expect.poll(async () => Math.round((await update.boundingBox())!.width)).toBe(120 * rem)

  const part = (name: string) => update.getByRole('group', { name, exact: true })
  const reason = update.getByLabel('Reason')
  const result = update.getByRole('status')
  await expect(part('Battery').getByLabel('Failed')).toBeChecked()
  await expect(result).toContainText('Failed')
  await expect(reason).toHaveValue('Predicted Failed Components: Battery.')
  await reason.fill('Predicted Failed Components: Battery. Changed by Ada.')
  await part('Lamp').getByLabel('Degraded').check()
  await expect(reason).toHaveValue(
    'Predicted Failed Components: Battery. Predicted degraded Components: Lamp. Changed by Ada.',
  )
  await expect(result).toContainText('Failed')
  await part('Battery').getByLabel('Ok').check()
  await expect(result).toContainText('Degraded')
  await part('Lamp').getByLabel('Ok').check()
  await expect(result).toContainText('Passed')
  await part('Lamp').getByLabel('Degraded').check()
  await part('Other').getByLabel('Suppressed').check()
  await expect(result).toContainText('Suppressed')
  await expect(reason).toHaveValue('Changed by Ada.')
  // A result that the readings contradict cannot be sent.
  await part('Other').getByLabel('None').check()
  await expect(update.getByText('The readings show 1 h 52 min of 3 h')).toBeVisible()
  await expect(update.getByRole('button', { name: 'Update' })).toBeDisabled()
  await part('Other').getByLabel('Suppressed').check()
  await update.getByRole('button', { name: 'Update' }).click()
  await expect(update).toHaveCount(0)
  await expect(rows(page)).toContainText('Suppressed')
  await expect(rows(page)).toContainText('Changed by Ada.')
  await expect(rows(page)).toContainText('Was Failed.')
  await page.getByRole('button', { name: /^Chart of T180/ }).click()
  const chart = dialog(page, /^T180 of/)
  await expect(chart.locator('li[data-series]')).toHaveCount(5)
  await expect(chart).toContainText('before: Failed, Predicted Failed Components: Battery.')
})

const calls = '**/api/GetAllTests'
const failing = (route: Route) => route.fulfill({ status: 500, body: '{}' })
/** Whether a call asks for rows after the first pages. */
const isFurther = (route: Route) => route.request().postData()!.includes('"after"')
const pageNumber = (page: Page, number: number) => page.getByRole('button', { name: `Page ${number}`, exact: true })

test('a page of tests that failed to load is requested again by a click, and an earlier failure does not delay other pages', async ({
  pageOf,
  expectedErrors,
}) => {
  const page = await pageOf(manager)
  expectedErrors.push(consoleText(500))
  await page.route(calls, (route) => (isFurther(route) ? failing(route) : route.continue()))
  await page.goto(`${address}?page=6`)
  await page.getByRole('button', { name: 'Retry' }).click()
  await expect(page.getByRole('button', { name: 'Retry' })).toBeVisible()
  await page.unroute(calls)
  await page.getByRole('button', { name: 'Retry' }).click()
  await expect(rows(page)).toHaveCount(10)

  // The months view is loaded again whenever a light changes.
  const months = '**/api/GetTestMonths'
  await page.goto(`${address}?view=months`)
  await expect(rows(page)).toHaveCount(10)
  await page.route(months, failing)
  const failed = page.waitForResponse(months)
  await addDevice('northgate')
  await failed
  await page.unroute(months)
  await pageNumber(page, 6).click()
  await expect(rows(page)).toHaveCount(10)
})

test('a page number beyond the last shows the last page, and nothing beyond it is requested', async ({ pageOf }) => {
  const page = await pageOf(manager)
  let further = 0
  await page.route(calls, async (route) => {
    if (isFurther(route)) further++
    const response = await route.fetch()
    const answer = await response.json()
    await route.fulfill({ response, json: { ...answer, data: { ...answer.data, total: 20 } } })
  })
  await page.goto(`${address}?page=100000`)
  await expect(rows(page)).toHaveCount(10)
  await expect(pageNumber(page, 2)).toHaveAttribute('aria-current', 'page')
  expect(further).toBe(0)
})

test('while other tests are loading, the shown ones cannot be exported', async ({ pageOf }) => {
  const light = await testedLight()
  const page = await pageOf(manager)
  await page.goto(address)
  await expect(rows(page)).toHaveCount(10)
  const download = page.getByRole('button', { name: 'Download' })
  const answered = Promise.withResolvers<void>()
  await page.route(calls, async (route) => {
    await answered.promise
    await route.continue()
  })
  await page.getByRole('searchbox').fill(light.serial)
  await expect(download).toBeDisabled()
  await expect(rows(page)).toHaveCount(10)
  answered.resolve()
  await expect(rows(page)).toHaveCount(1)
  await expect(download).toBeEnabled()
})

test('the test of a month opens at once, and names the place of details that failed to load', async ({
  pageOf,
  expectedErrors,
}) => {
  const light = await testedLight()
  const page = await pageOf(manager)
  expectedErrors.push(consoleText(500))
  await page.goto(`${address}?view=months&filter=${light.serial}`)
  await page.route(calls, failing)
  await page.getByRole('button', { name: /^T180 of .*: Failed$/ }).click()
  const chart = dialog(page, /^T180 of/)
  await expect(chart.getByRole('alert')).toContainText('Failed to Load')
  await page.unroute(calls)
  await chart.getByRole('button', { name: 'Retry' }).click()
  await expect(chart).toContainText('Went out after 1 h 52 min')
})
