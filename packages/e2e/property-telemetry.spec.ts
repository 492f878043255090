import type { Page } from '@playwright/test'
import { demoHomes, demoPropertyId } from '@caretaker/demo/fixtures.ts'
import { dayAfter, dayAt, dayText } from '@caretaker/rules/calendar/days.ts'
import { findings } from './fixtures/axe.ts'
import { answer } from './fixtures/lists.ts'
import { consoleText, expect, test } from './fixtures/test.ts'

const guest = 'guest@northgate.example'
const telemetryOf = (reference: string) => `/northgate/Properties/${demoPropertyId(reference)}/telemetry`
const card = (page: Page, name: string) => page.getByRole('region', { name, exact: true })
const picker = (page: Page) => page.getByRole('combobox', { name: 'View' })
const range = (page: Page) => page.getByRole('button', { name: /^Range: / })
/** The range that the page asks a chart for, from now on. */
async function askedFor(page: Page, chart: string, act: () => Promise<unknown>) {
  const [request] = await Promise.all([
    page.waitForRequest((one) => one.url().includes('/telemetry/charts?') && one.url().includes(`chart=${chart}`)),
    act(),
  ])
  const query = new URL(request.url()).searchParams
  return [query.get('from'), query.get('to')]
}
const wholeDays = (from: string, to: string) => [`${from}T00:00:00.000Z`, `${to}T23:59:59.999Z`]

test('the telemetry of a home: its views and ranges, each chart by itself [est-1-10] [est-2.3-75] [est-2.3-76] [est-2.3-77] [est-2.3-83] [est-2.3-84] [est-2.3-85] [est-2.3-86] [est-2.3-87] [est-2.3-88] [est-2.3-89] [est-2.3-90] [est-2.3-91] [est-2.3-92] [est-2.3-93] [est-2.3-94] [est-2.3-95]', async ({
  pageOf,
  expectedErrors,
}) => {
  expectedErrors.push(consoleText(500))
  const page = await pageOf(guest)
  const today = dayAt(Date.now(), 'UTC')
  let release = () => {}
  const held = new Promise<void>((done) => (release = done))
  await page.route(/telemetry\/charts\?.*chart=rooms/, async (route) => {
    await held
    await route.continue()
  })
  await answer(page, 'GET', /telemetry\/charts\?.*chart=humidity/, 500)
  const first = await askedFor(page, 'rooms', () => page.goto(telemetryOf(demoHomes.damp)))
  expect(first).toEqual(wholeDays(dayAfter(today, -6), today))
  await expect(picker(page)).toHaveValue('Property Summary')
  // One is still loading and one has failed; the others are there.
  await expect(card(page, 'CO2').locator('canvas')).toBeVisible()
  await expect(card(page, 'Humidity').getByText('Something went wrong, please retry.')).toBeVisible()
  await expect(card(page, 'Room temperature').getByText('Loading', { exact: true })).toBeVisible()
  release()
  await expect(card(page, 'Room temperature').locator('canvas')).toBeVisible()
  await page.unroute(/telemetry\/charts\?.*chart=humidity/)
  await card(page, 'Humidity').getByRole('button', { name: 'Retry' }).click()
  await expect(card(page, 'Humidity').locator('canvas')).toBeVisible()
  // Every room by its name.
  for (const room of ['Bedroom 1', 'Bathroom', 'Living room'])
    await expect(card(page, 'Room temperature')).toContainText(room)
  expect(await findings(page)).toEqual([])

  const pick = (label: string) =>
    page.getByRole('radiogroup', { name: 'Range' }).getByText(label, { exact: true }).click()
  // What was asked for just now is not asked for again: on the 7th the month so far is those seven days.
  const known = new Set([String(first)])
  const month = `${today.slice(0, 8)}01`
  const lastOfMonth = dayAfter(month, -1)
  for (const [label, from, to] of [
    ['Last 5 weeks', dayAfter(today, -34), today],
    ['Previous Calendar Month', `${lastOfMonth.slice(0, 8)}01`, lastOfMonth],
    ['So far this month', month, today],
    ['Last 7 days', dayAfter(today, -6), today],
  ] as const) {
    const days = wholeDays(from, to)
    if (known.has(String(days))) await pick(label)
    else expect(await askedFor(page, 'rooms', () => pick(label))).toEqual(days)
    known.add(String(days))
    await expect(range(page)).toHaveText(`${dayText(from)} – ${dayText(to)}`)
  }
  await range(page).click()
  const calendar = page.getByRole('dialog', { name: 'Range' })
  await calendar.getByRole('textbox', { name: 'To' }).fill(dayText(dayAfter(today, 1)))
  await calendar.getByRole('textbox', { name: 'To' }).blur()
  await expect(calendar.getByText('A date cannot be later than today')).toBeVisible()
  await page.keyboard.press('Escape')

  await picker(page).click()
  await expect(page.getByRole('option')).toHaveText(['Property Summary', 'Boiler Monitoring', 'Asset Management'])
  await askedFor(page, 'burnerBars', () => page.getByRole('option', { name: 'Boiler Monitoring' }).click())
  await expect(card(page, 'Flow and return temperature').locator('canvas')).toBeVisible()
  await expect(page).toHaveURL(/view=monitoring/)
  await page.setViewportSize({ width: 390, height: 844 })
  await expect(card(page, 'Flow and return temperature').locator('canvas')).toBeVisible()
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(390)
})

/**
 * Opens the damp home once its rooms are assessed, which is done by the hour: in a world that has just begun, within its first
 * minutes.
 */
async function openAssessed(page: Page): Promise<void> {
  test.setTimeout(180_000)
  await expect(async () => {
    await page.goto(telemetryOf(demoHomes.damp))
    await expect(card(page, 'Damp and mould risk by room').getByRole('img')).toBeVisible({ timeout: 10_000 })
  }).toPass({ timeout: 120_000 })
}

test('limits are said with their charts, the risk of each room is a chart over the same time and a table, and energy is told by circuit', async ({
  pageOf,
}) => {
  const page = await pageOf(guest)
  await openAssessed(page)
  const chartOf = (title: string) => card(page, title).getByRole('img', { name: title })
  await expect(chartOf('Room temperature')).toHaveAccessibleDescription(/Cold limit below 16 °C\.$/)
  await expect(chartOf('Humidity')).toHaveAccessibleDescription(/Damp limit above 70 %\.$/)
  const strip = card(page, 'Damp and mould risk by room')
  await expect(strip.getByRole('img')).toHaveAccessibleDescription(/Bedroom 1: severe in \d+ of \d+ cells/)
  await strip.getByRole('button', { name: 'Show Damp and mould risk by room as a table' }).click()
  await expect(strip.getByRole('columnheader', { name: 'Bedroom 1' })).toBeVisible()
  await expect(strip.locator('tbody tr').nth(1).getByRole('cell').first()).toHaveText(
    /^(Low|Watch|High|Severe|Not known)$/,
  )
  await strip.getByRole('button', { name: 'Show Damp and mould risk by room as a chart' }).click()
  await expect(strip.getByRole('img')).toBeVisible()

  await page.goto(telemetryOf(demoHomes.lively))
  for (const circuit of ['Sockets', 'Cooker', 'Kettle ring'])
    await expect(card(page, 'Energy a day')).toContainText(new RegExp(`${circuit}\\s*[\\d.]+\\skWh`))
})

test('a home without readings says so, and one whose views do not come says that [est-2.3-96] [est-8-19] [est-8-20] [est-8-21]', async ({
  pageOf,
  expectedErrors,
}) => {
  expectedErrors.push(consoleText(500))
  const page = await pageOf(guest)
  await page.route(/telemetry\/charts\?/, async (route) => {
    const response = await route.fetch()
    const data = (await response.json()) as { chart: { dataSeries: { series: unknown[] }[]; eventSeries: unknown[] } }
    for (const one of data.chart.dataSeries) one.series = []
    data.chart.eventSeries = []
    await route.fulfill({ response, json: data })
  })
  await page.goto(`${telemetryOf(demoHomes.damp)}?view=monitoring`)
  for (const name of ['Flow and return temperature', 'Events'])
    await expect(card(page, name).getByText('No data available', { exact: true })).toBeVisible()
  await expect(card(page, 'Burner hours').getByText('No Data', { exact: true })).toBeVisible()

  await answer(page, 'GET', /telemetry\/views$/, 500)
  await page.reload()
  await expect(page.getByText('Failed to retrieve property data')).toBeVisible()

  // Nor has anything been done to it that its audit could tell.
  await answer(page, 'GET', /\/audits\?/, 200, { results: [], total: 0 })
  await page.goto(telemetryOf(demoHomes.damp).replace('telemetry', 'propertyAudit'))
  await expect(page.getByRole('main').getByText('No data available', { exact: true })).toBeVisible()
})

test('what measures the air of a home is told with its newest readings, the dampest room first; what is old says of when it is', async ({
  pageOf,
}) => {
  const page = await pageOf(guest)
  const twoDays = 2 * 86_400_000
  await page.route(/\/getDevicesMetrics$/, async (route) => {
    const response = await route.fetch()
    const body = (await response.json()) as {
      data: { series: { metric: string; latest: { date: number } | null }[] }[]
    }
    for (const { metric, latest } of body.data[0]!.series)
      if (metric === 'linkQuality' && latest) latest.date -= twoDays
    await route.fulfill({ response, json: body })
  })
  await openAssessed(page)
  const sensors = page.getByRole('grid', { name: 'Sensors' })
  await expect(sensors.getByRole('columnheader').filter({ hasText: /\w/ })).toHaveText([
    'Room',
    'Damp risk',
    'Sensor',
    'Serial Number',
    'Temperature',
    'Humidity',
    'CO2',
    'Battery',
    'Link quality',
    'Connection Status',
  ])
  const rows = sensors.locator('tbody tr[data-row]')
  await expect(rows.first()).toContainText(/(High|Severe).*°C.*%/)
  await expect(rows.filter({ hasText: 'Bedroom 1' })).toHaveCount(1)
  await expect(sensors.getByText(new RegExp(dayText(dayAt(Date.now() - twoDays, 'Europe/London'))))).toHaveCount(1)
})
