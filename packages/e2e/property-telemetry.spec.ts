import type { Page } from '@playwright/test'
import { demoHomes, demoPropertyId } from '@caretaker/demo/fixtures.ts'
import { dayAt, dayText } from '@caretaker/rules/calendar/days.ts'
import { findings } from './fixtures/axe.ts'
import { alterResponse } from './fixtures/portal.ts'
import { expect, test } from './fixtures/test.ts'

const guest = 'guest@northgate.example'
const telemetryOf = (reference: string) => `/northgate/Properties/${demoPropertyId(reference)}/telemetry`
const card = (page: Page, name: string) => page.getByRole('region', { name, exact: true })

/**
 * Opens the damp property once its rooms are assessed, which happens hourly, and within the first minutes of a fresh installation.
 */
async function openAssessed(page: Page): Promise<void> {
  test.setTimeout(180_000)
  await expect(async () => {
    await page.goto(telemetryOf(demoHomes.damp))
    await expect(card(page, 'Damp and mould risk by room').getByRole('img')).toBeVisible({ timeout: 10_000 })
  }).toPass({ timeout: 120_000 })
}

// For ranges, views, and charts that load or fail separately, see packages/web/src/telemetry/home-telemetry.component.test.tsx.
test('the telemetry of a property draws its rooms with limits and risk, lists its sensors, and shows energy by circuit [est-1-10] [est-2.3-75] [est-2.3-77] [est-2.3-94]', async ({
  pageOf,
}) => {
  const page = await pageOf(guest)
  const twoDays = 2 * 86_400_000
  interface Metrics {
    data: { series: { metric: string; latest: { date: number } | null }[] }[]
  }
  await alterResponse(page, '**/getDevicesMetrics', ({ data }: Metrics) => {
    for (const { metric, latest } of data[0]!.series) if (metric === 'linkQuality' && latest) latest.date -= twoDays
  })
  await openAssessed(page)
  const chartOf = (title: string) => card(page, title).getByRole('img', { name: title })
  await expect(chartOf('Room temperature')).toHaveAccessibleDescription(/Cold limit below 16 °C\.$/)
  await expect(chartOf('Humidity')).toHaveAccessibleDescription(/Damp limit above 70 %\.$/)
  // Every room is shown with its name.
  for (const room of ['Bedroom 1', 'Bathroom', 'Living room'])
    await expect(card(page, 'Room temperature')).toContainText(room)
  expect(await findings(page)).toEqual([])
  const strip = card(page, 'Damp and mould risk by room')
  await expect(strip.getByRole('img')).toHaveAccessibleDescription(/Bedroom 1: severe in \d+ of \d+ cells/)
  await strip.getByRole('button', { name: 'Show Damp and mould risk by room as a table' }).click()
  await expect(strip.getByRole('columnheader', { name: 'Bedroom 1' })).toBeVisible()
  await expect(strip.locator('tbody tr').nth(1).getByRole('cell').first()).toHaveText(
    /^(Low|Watch|High|Severe|Unknown)$/,
  )
  await strip.getByRole('button', { name: 'Show Damp and mould risk by room as a chart' }).click()
  await expect(strip.getByRole('img')).toBeVisible()

  // The dampest room comes first; old values show their time.
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

  await page.getByRole('combobox', { name: 'View' }).click()
  await expect(page.getByRole('option')).toHaveText(['Property Summary', 'Boiler Monitoring', 'Asset Management'])
  await page.getByRole('option', { name: 'Boiler Monitoring' }).click()
  await expect(card(page, 'Flow and return temperature').locator('canvas')).toBeVisible()
  await page.setViewportSize({ width: 390, height: 844 })
  await expect(card(page, 'Flow and return temperature').locator('canvas')).toBeVisible()
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(390)
  await page.setViewportSize({ width: 1440, height: 960 })
  await page.goto(telemetryOf(demoHomes.lively))
  for (const circuit of ['Sockets', 'Cooker', 'Kettle ring'])
    await expect(card(page, 'Energy a day')).toContainText(new RegExp(`${circuit}\\s*[\\d.]+\\skWh`))
})
