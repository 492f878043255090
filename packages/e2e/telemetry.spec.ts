import { readFile } from 'node:fs/promises'
import type { Page, Route } from '@playwright/test'
import { demoDevices } from '@caretaker/demo/fixtures.ts'
import type { Answer } from '@caretaker/contract/route.ts'
import type { getDeviceTelemetryCharts } from '@caretaker/contract/telemetry.ts'
import { dayAfter, dayAt, dayText } from '@caretaker/rules/calendar/days.ts'
import { newClient } from './fixtures/client.ts'
import { connectDevice } from './fixtures/device.ts'
import { addDevice, caretaker } from './fixtures/operator.ts'
import { consoleText, expect, test } from './fixtures/test.ts'

const manager = 'manager@northgate.example'
const day = 86_400_000
const zone = 'Europe/London'
const card = (page: Page, name: string) => page.getByRole('region', { name, exact: true })
const flowReturn = 'Flow and return temperature'
const telemetryOf = ({ deviceId }: { deviceId: string }) => `/northgate/Boilers/${deviceId}/telemetry`
const viewPicker = (page: Page) => page.getByRole('combobox', { name: 'View' })
const held = (page: Page) => page.getByText('Pinned on all charts.')
type ChartsAnswer = NonNullable<Answer<typeof getDeviceTelemetryCharts>['data']>
type Asked = { charts?: string[]; view?: string; from?: number; to?: number }

const askedBy = (route: { request(): { postDataJSON(): unknown } }) => route.request().postDataJSON() as Asked
/**
 * Waits for the page's request for a card from now on. While readings arrive, the page may request the previous range once more.
 */
const asking = (page: Page, chart: string, meets: (asked: Required<Asked>) => boolean = () => true) =>
  page.waitForRequest((request) => {
    if (!request.url().endsWith('/GetDeviceTelemetryCharts')) return false
    const asked = request.postDataJSON() as Asked
    return (asked.charts ?? []).includes(chart) && meets(asked as Required<Asked>)
  })

async function choose(page: Page, view: string): Promise<void> {
  await viewPicker(page).click()
  await page.getByRole('option', { name: view, exact: true }).click()
}

test('the telemetry of a boiler has views that load their charts; cards on twelve columns, lines and events [dev-1purpose-4 dev-2detail-8 dev-3ent-58 dev-4charts-4 dev-9const-10 dev-9const-43 dev-9const-44 dev-9const-45]', async ({
  pageOf,
}) => {
  const page = await pageOf(manager)
  await page.goto(`/northgate/Boilers/${demoDevices.boilerLockout.deviceId}`)
  await page
    .getByRole('navigation', { name: 'Sections of this page' })
    .getByRole('link', { name: 'Telemetry', exact: true })
    .click()
  await expect(page).toHaveURL(telemetryOf(demoDevices.boilerLockout))
  await expect(viewPicker(page)).toHaveValue('Property Summary')
  await viewPicker(page).click()
  await expect(page.getByRole('option')).toHaveText(['Property Summary', 'Boiler Monitoring', 'Asset Management'])
  const asked = asking(page, 'modulation')
  await page.getByRole('option', { name: 'Boiler Monitoring' }).click()
  const reloaded = await asked
  const { view, charts } = reloaded.postDataJSON() as Asked
  expect(view).toBe('monitoring')
  // A device's lines are loaded together, and figures do not wait for them.
  expect(charts).toEqual(expect.arrayContaining(['flowReturn', 'modulation', 'pressure']))
  expect(charts).not.toContain('faults')
  await expect(page).toHaveURL(`${telemetryOf(demoDevices.boilerLockout)}?view=monitoring`)

  for (const title of [flowReturn, 'Burner modulation', 'System pressure'])
    await expect(card(page, title).locator('canvas')).toBeVisible()
  await expect(card(page, flowReturn).locator('header')).toContainText(/Difference\s*[\d.]+\u00A0°C/)
  await expect(card(page, 'Average flow')).toContainText(/Set point \d+\u00A0°C/)
  await expect(card(page, 'Burner starts')).toContainText(/\d+ an hour at worst, \w+day/)
  const events = card(page, 'Events')
  await expect(events.getByRole('img')).toHaveAccessibleDescription(/Boiler: \d+, the last high, EA: /)
  await expect(events.getByText('EA, still active')).toBeVisible()
  const widthOf = async (title: string) => (await card(page, title).boundingBox())!.width
  const [whole, half, quarter] = [await widthOf(flowReturn), await widthOf('System pressure'), await widthOf('Faults')]
  // The gap between columns is 16 px.
  expect(half).toBeCloseTo((whole - 16) / 2, 0)
  expect(quarter).toBeCloseTo((whole - 3 * 16) / 4, 0)

  await page.reload()
  await expect(viewPicker(page)).toHaveValue('Boiler Monitoring')
  await page.goto(telemetryOf(demoDevices.heatSaviour))
  await choose(page, 'Heat Pump Monitoring')
  await expect(card(page, 'Compressor speed').locator('canvas')).toBeVisible()
  await choose(page, 'Asset Management')
  await expect(card(page, 'Pump hours')).toBeVisible()
  await viewPicker(page).click()
  await expect(page.getByRole('option')).toHaveText(['Property Summary', 'Heat Pump Monitoring', 'Asset Management'])
})

test('ranges: the last week by default, four shortcuts, days up to and including today; each range loads the charts and is in the address [dev-4charts-5 dev-9const-37 dev-9const-38 dev-9const-39 dev-9const-40 dev-9const-41 dev-9const-42]', async ({
  pageOf,
}) => {
  const page = await pageOf(manager)
  const answered = page.waitForResponse(
    (response) =>
      response.url().endsWith('/GetDeviceTelemetryCharts') && response.request().postData()!.includes('flowReturn'),
  )
  await page.goto(telemetryOf(demoDevices.livelyBoiler))
  const { data } = (await (await answered).json()) as { data: ChartsAnswer }
  expect(Date.parse(data.to) - Date.parse(data.from)).toBe(7 * day)
  expect(Math.abs(Date.parse(data.to) - Date.now())).toBeLessThan(60_000)

  const today = dayAt(Date.now(), zone)
  const month = `${today.slice(0, 7)}-01`
  const shortcuts = page.getByRole('radiogroup', { name: 'Range' })
  await expect(shortcuts.getByRole('radio', { name: 'Last 7 days' })).toBeChecked()
  for (const [name, address, from, to] of [
    ['So far this month', 'soFarThisMonth', month, today],
    ['Previous Calendar Month', 'previousMonth', `${dayAfter(month, -1).slice(0, 7)}-01`, dayAfter(month, -1)],
    ['Last 5 weeks', 'last5Weeks', dayAfter(today, -35), today],
  ] as const) {
    const asked = asking(page, 'flowReturn', (range) => dayAt(range.from, zone) === from)
    await shortcuts.getByText(name, { exact: true }).click()
    const range = (await asked).postDataJSON() as Required<Asked>
    expect([dayAt(range.from, zone), dayAt(range.from - 1, zone)]).toEqual([from, dayAfter(from, -1)])
    expect([dayAt(range.to, zone), dayAt(range.to + 1, zone)]).toEqual([to, dayAfter(to, 1)])
    await expect(page).toHaveURL(`${telemetryOf(demoDevices.livelyBoiler)}?range=${address}`)
    await expect(page.getByRole('button', { name: `Range: ${dayText(from)}` })).toBeVisible()
  }
  await page.getByRole('button', { name: /^Range: / }).click()
  const picker = page.getByRole('dialog', { name: 'Range' })
  const tomorrow = dayAfter(today, 1)
  await picker.getByRole('textbox', { name: 'To' }).fill(dayText(tomorrow))
  await picker.getByRole('textbox', { name: 'To' }).blur()
  await expect(picker.getByText('A date cannot be later than today')).toBeVisible()
  const asked = asking(page, 'flowReturn', (range) => dayAt(range.to, zone) === dayAfter(today, -2))
  await picker.getByRole('textbox', { name: 'To' }).fill(dayText(dayAfter(today, -2)))
  await picker.getByRole('textbox', { name: 'To' }).blur()
  expect(dayAt(((await asked).postDataJSON() as Required<Asked>).to + 1, zone)).toBe(dayAfter(today, -1))
  await expect(page).toHaveURL(new RegExp(`to=${dayAfter(today, -2)}`))
  // If the end in the address is in the future, the chart shows the available data.
  const clamped = asking(page, 'flowReturn')
  await page.goto(`${telemetryOf(demoDevices.livelyBoiler)}?from=${dayAfter(today, -3)}&to=2099-01-01`)
  expect(dayAt(((await clamped).postDataJSON() as Required<Asked>).to, zone)).toBe(today)
})

test('until another range has loaded, each card shows its previous data and that it is loading, and stays a table', async ({
  pageOf,
}) => {
  const page = await pageOf(manager)
  await page.goto(`${telemetryOf(demoDevices.livelyBoiler)}?range=previousMonth`)
  const [lines, pressure] = [card(page, flowReturn), card(page, 'System pressure')]
  await expect(pressure.locator('canvas')).toBeVisible()
  await lines.getByRole('button', { name: `Show ${flowReturn} as a table` }).click()
  const before = await lines.getByRole('rowheader').first().textContent()
  await pressure.locator('.u-over').click()
  await expect(held(page)).toBeVisible()

  const gate = Promise.withResolvers<void>()
  await page.route('**/GetDeviceTelemetryCharts', async (route) => {
    await gate.promise
    await route.continue()
  })
  await page.getByRole('radiogroup', { name: 'Range' }).getByText('Last 5 weeks', { exact: true }).click()
  const cell = page.locator('[data-card]').filter({ has: lines })
  await expect(cell).toHaveAttribute('aria-busy', 'true')
  await expect(cell.getByText(`Loading ${flowReturn}`)).toBeAttached()
  await expect(pressure.locator('canvas')).toBeVisible()
  await expect(lines.getByRole('rowheader').first()).toHaveText(before!)
  await expect(held(page)).toHaveCount(0)
  gate.resolve()
  await expect(cell).toHaveAttribute('aria-busy', 'false')
  await expect(lines.getByRole('rowheader').first()).not.toHaveText(before!)
  await expect(cell.getByText(`Loading ${flowReturn}`)).toHaveCount(0)
})

test('charts show the same readings as a table with British dates, and can be saved as files [core-9-4 est-9-24]', async ({
  pageOf,
}) => {
  const page = await pageOf(manager)
  await page.goto(`${telemetryOf(demoDevices.livelyBoiler)}?view=monitoring`)
  for (const title of [flowReturn, 'System pressure']) {
    const chart = card(page, title)
    await expect(chart.locator('canvas')).toBeVisible()
    await expect(chart.getByRole('img')).toHaveAccessibleDescription(
      /: last .* on \d\d\/\d\d\/\d{4} \d\d:\d\d, lowest .*, highest /,
    )
    await chart.getByRole('button', { name: `Show ${title} as a table` }).click()
    await expect(chart.locator('canvas')).toHaveCount(0)
    const times = await page
      .getByRole('region', { name: `${title}, readings` })
      .getByRole('rowheader')
      .allInnerTexts()
    expect(times.length).toBeGreaterThan(100)
    const dates = times.map((time) => {
      const [, date, month, year, hour, minute] = /^(\d\d)\/(\d\d)\/(\d{4}) (\d\d):(\d\d)$/.exec(time)!.map(Number)
      return new Date(year!, month! - 1, date, hour, minute).getTime()
    })
    expect(dates).toEqual(dates.toSorted((a, b) => b - a))
    expect(dates[0]! - dates.at(-1)!).toBeGreaterThan(6.5 * day)
    expect(dates.at(-1)!).toBeGreaterThan(Date.now() - 7 * day - 120_000)
    await chart.getByRole('button', { name: `Show ${title} as a chart` }).click()
    await expect(chart.locator('canvas')).toBeVisible()
  }
  const saved = async (what: string) => {
    const download = page.waitForEvent('download')
    await page.getByRole('button', { name: 'Download', exact: true }).click()
    await page.getByRole('menuitem', { name: what }).click()
    const file = await download
    return { name: file.suggestedFilename(), bytes: await readFile(await file.path()) }
  }
  const csv = await saved('Readings as CSV')
  expect(csv.name).toMatch(new RegExp(`^\\d\\d-\\w{3}-\\d{4}-${demoDevices.livelyBoiler.serial}-telemetry\\.csv$`))
  expect(csv.bytes.toString()).toMatch(
    /^\uFEFF"Chart","Series"[^\n]*\n[\s\S]*"Flow and return temperature","Return temperature","°C","\d\d\/\d\d\/\d{4} \d\d:\d\d","[\d.]+"/,
  )
  const png = await saved('Charts as PNG')
  expect(png.bytes.subarray(1, 4).toString()).toBe('PNG')
  expect(png.bytes.byteLength).toBeGreaterThan(10_000)
})

test('all cards share one time: the pointer selects it, a click holds it, Esc or another click releases it, and the events card names the events [dev-4charts-1 dev-4charts-2 dev-8err-29 dev-9const-9]', async ({
  pageOf,
}) => {
  const page = await pageOf(manager)
  await page.goto(`${telemetryOf(demoDevices.boilerLockout)}?view=monitoring`)
  const [first, second] = [card(page, flowReturn), card(page, 'System pressure')]
  const events = card(page, 'Events')
  const time = /\w{3} \d{1,2} \w{3}, \d\d:\d\d/
  const read = async (chart: typeof first) => time.exec(await chart.locator('header').innerText())?.[0]
  await expect(first.locator('canvas')).toBeVisible()
  await expect(second.locator('canvas')).toBeVisible()
  await expect(events.getByText('No events selected')).toBeVisible()
  const over = first.locator('.u-over')
  await over.scrollIntoViewIfNeeded()
  const { x, y, width, height } = (await over.boundingBox())!
  const at = (share: number) => [x + width * share, y + height / 2] as const

  await page.mouse.move(...at(0.3))
  await expect.poll(() => read(first)).toBeTruthy()
  await expect.poll(async () => (await read(second)) === (await read(first))).toBe(true)
  await expect(events.getByText(/^At .*: No events selected$/)).toBeVisible()
  const early = await read(first)
  // The lockout is still active.
  await page.mouse.move(...at(0.999))
  await expect.poll(() => read(first)).not.toBe(early)
  await expect(events.locator('header')).toContainText(/Boiler, high, EA: [^,]*, since .*, still active/)

  await page.mouse.click(...at(0.25))
  await expect(held(page)).toBeVisible()
  const heldTime = await read(first)
  await page.mouse.move(...at(0.75))
  await page.mouse.move(...at(0.8))
  await expect.poll(() => read(second)).toBe(heldTime)
  expect(await read(first)).toBe(heldTime)
  await page.mouse.click(...at(0.8))
  await expect(held(page)).toHaveCount(0)
  await page.mouse.click(...at(0.85))
  await expect(held(page)).toBeVisible()
  await page.keyboard.press('Escape')
  await expect(held(page)).toHaveCount(0)

  // The events chart is below the lines; hovering over either highlights the same time in both.
  const bar = events.locator('[data-running][data-severity=High]')
  await bar.scrollIntoViewIfNeeded()
  const place = (await bar.boundingBox())!
  expect(Math.abs(place.x + place.width - (x + width))).toBeLessThan(2)
  await bar.hover()
  await expect(events.locator('header')).toContainText('still active')
  await expect.poll(() => read(first)).toBeTruthy()
  await bar.click()
  await expect(held(page)).toBeVisible()
  await page.getByRole('button', { name: 'Resume' }).click()
  await expect(held(page)).toHaveCount(0)
  const colours = await events
    .locator('header i[data-severity]')
    .evaluateAll((keys) => keys.map((key) => getComputedStyle(key).backgroundColor))
  expect(new Set(colours).size).toBe(3)
  await expect(events.locator('header')).toContainText('High')
  await expect(events.locator('header')).toContainText('Low')
})

test('each card loads, fails and is retried separately; a card without data shows a note or is hidden [dev-3ent-59 dev-4charts-3 dev-8err-26 dev-8err-27 dev-8err-28 dev-9const-47]', async ({
  pageOf,
  expectedErrors,
}) => {
  expectedErrors.push(consoleText(500))
  const page = await pageOf(manager)
  const address = `${telemetryOf(demoDevices.livelyBoiler)}?view=monitoring`
  const path = '**/api/GetDeviceTelemetryCharts'
  const wrong = 'Something went wrong, please retry.'
  await page.route(path, (route) => route.fulfill({ status: 500, json: {} }))
  await page.goto(address)
  await expect(page.getByText('Failed to retrieve property data', { exact: true })).toBeVisible()
  await page.unrouteAll({ behavior: 'wait' })

  const gates = Promise.withResolvers<void>()
  const alter = async (route: Route, change: (data: ChartsAnswer) => unknown) => {
    const response = await route.fetch()
    const body = (await response.json()) as { data: ChartsAnswer }
    await route.fulfill({ response, json: { ...body, data: change(body.data) } })
  }
  const ofCharts = (change: (chart: ChartsAnswer['charts'][number]) => unknown) => (data: ChartsAnswer) => ({
    ...data,
    charts: data.charts.map(change),
  })
  const without = new Set(['outside', 'rooms', 'events'])
  const empty = ofCharts((chart) =>
    without.has(chart.id)
      ? { ...chart, dataSeries: chart.dataSeries.map((one) => ({ ...one, series: [], latest: null })), eventSeries: [] }
      : chart,
  )
  await page.route(path, async (route) => {
    const { charts = [] } = askedBy(route)
    // One figure fails, although it is requested together with others.
    if (charts.includes('faults')) return route.fulfill({ status: 500, json: {} })
    switch (charts[0]) {
      case 'flowReturn':
        return route.fulfill({ status: 500, json: {} })
      case 'pressure':
        return alter(
          route,
          ofCharts((chart) => ({ ...chart, dataSeries: null })),
        )
      case 'outside':
      case 'rooms':
      case 'events':
        return alter(route, empty)
      case 'modulation':
        await gates.promise
        return route.continue()
      default:
        return route.continue()
    }
  })
  await page.getByRole('button', { name: 'Retry' }).click()
  await expect(card(page, flowReturn).getByText(wrong)).toBeVisible()
  await expect(card(page, 'System pressure').getByText(wrong)).toBeVisible()
  await expect(card(page, 'Faults').getByText(wrong)).toBeVisible()
  await expect(page.getByText(wrong)).toHaveCount(3)
  await expect(card(page, 'Outside temperature').getByText('No data available.')).toBeVisible()
  await expect(card(page, 'Events').getByText('No events', { exact: true })).toBeVisible()
  await expect(card(page, 'Room temperature')).toHaveCount(0)
  await expect(card(page, 'Average flow')).toContainText('°C')
  await expect(card(page, 'Burner modulation').getByText('Loading Burner modulation')).toBeAttached()
  gates.resolve()
  await expect(card(page, 'Burner modulation').locator('canvas')).toBeVisible()
  await page.unrouteAll({ behavior: 'wait' })
  for (const title of [flowReturn, 'System pressure', 'Faults'])
    await expect(async () => {
      // A report from its device may have reloaded it meanwhile.
      const again = card(page, title).getByRole('button', { name: 'Retry' })
      if (await again.isVisible()) await again.click({ timeout: 1000 })
      await expect(card(page, title).getByText(wrong)).toHaveCount(0, { timeout: 1000 })
    }).toPass()
  for (const title of [flowReturn, 'System pressure']) await expect(card(page, title).locator('canvas')).toBeVisible()
  await expect(page.getByText(wrong)).toHaveCount(0)
})

test("the tab depends on its feature, diagnostics on theirs, and a new report of the property's device is drawn at once [dev-2detail-9 dev-9const-46]", async ({
  page,
  expectedErrors,
}) => {
  test.slow()
  // The error of a view that is open when its feature is turned off.
  expectedErrors.push(consoleText(404))
  const { tenant } = await newClient(page, 'Measured Lettings')
  const flag = (area: string, name: string, how: '--on' | '--off') =>
    caretaker('feature', 'set', '--tenant', tenant, '--area', area, '--name', name, how)
  const credentials = await addDevice(tenant, '--product', 'BX')
  const address = `/${tenant}/Boilers/${credentials.deviceId}`
  await page.goto(`${address}/telemetry?view=monitoring`)
  const flow = card(page, flowReturn)
  await expect(flow.getByText('No data available.')).toBeVisible()
  const device = await connectDevice(credentials)
  const now = Date.now()
  await device.publish('telemetry', { ts: now, values: { flowTemperature: 61.5, returnTemperature: 47 } })
  // A device page polls every 3 s; the rest is for the round trip.
  await expect(flow.locator('header')).toContainText('61.5\u00A0°C', { timeout: 4000 })
  const event = {
    eventId: crypto.randomUUID(),
    severity: 'Medium',
    category: 'Low pressure',
    description: 'At 0.6 bar',
  }
  await device.publish('events', { ...event, start: now - 60_000 })
  await expect(card(page, 'Events').getByText('At 0.6 bar, still active')).toBeVisible({ timeout: 4000 })
  await device.publish('events', { ...event, start: now - 60_000, end: now })
  await expect(card(page, 'Events').getByText('still active')).toHaveCount(0, { timeout: 4000 })
  await device.end()

  await viewPicker(page).click()
  await expect(page.getByRole('option')).toHaveText(['Property Summary', 'Boiler Monitoring', 'Asset Management'])
  await flag('System', 'SystemDebug', '--on')
  await page.goto(`${address}/telemetry?view=diagnostics`)
  await expect(viewPicker(page)).toHaveValue('Boiler control module Diagnostics')
  await flag('System', 'SystemDebug', '--off')
  await flag('Boilers', 'HideTelemetryTab', '--on')
  await page.goto(address)
  const tabs = page.getByRole('main').getByRole('link')
  await expect(tabs.filter({ hasText: 'Compliance' })).toBeVisible()
  await expect(tabs.filter({ hasText: 'Telemetry' })).toHaveCount(0)
  await page.goto(`${address}/telemetry`)
  await expect(page.getByText("You don't have permission").first()).toBeVisible()
  await expect(viewPicker(page)).toHaveCount(0)
  await flag('Boilers', 'HideTelemetryTab', '--off')
  await page.reload()
  await expect(viewPicker(page)).toHaveValue('Property Summary')
})
