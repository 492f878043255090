import { expect, test } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import { getPropertyDampCells } from '@caretaker/contract/damp.ts'
import { getPropertyAudit } from '@caretaker/contract/property-audit.ts'
import type { Chart } from '@caretaker/contract/telemetry.ts'
import { getPropertyTelemetryChart, getPropertyTelemetryViews } from '@caretaker/contract/telemetry.ts'
import { dayAfter, dayAt, dayText } from '@caretaker/rules/calendar/days.ts'
import { lastWinter, yearBefore } from '@caretaker/rules/telemetry/ranges.ts'
import { idOf } from '../testing/examples/devices.ts'
import { aHome, homePages } from '../testing/examples/homes.ts'
import { aChart, aSeries } from '../testing/examples/telemetry.ts'
import { expectTexts } from '../testing/expect.ts'
import type { ServerAnswer } from '../testing/network.ts'
import { answer, answerStatus } from '../testing/network.ts'
import { openPortal } from '../testing/portal.tsx'
import { region } from '../testing/screen.ts'

const home = aHome()
const hours = (count: number, value: number) => Array.from({ length: count }, (_, at) => value + (at % 3))
const line = (label: string, values: number[], color: string) =>
  aSeries(values, { label, unit: '°C', color, dataSeriesId: label })
const figure = (more: Partial<Chart>): Partial<Chart> => ({ type: 'Numeric', before: null, ...more })
const shown: Record<string, Partial<Chart>> = {
  flowReturn: {
    ...{ title: 'Flow and return temperature', units: '°C' },
    dataSeries: [line('Flow temperature', hours(48, 55), 'series-1')],
  },
  meanTemperature: figure({
    title: 'Average room temperature',
    units: '°C',
    days: { read: 3, of: 7 },
    dataSeries: [aSeries([16.4])],
  }),
  faults: figure({ title: 'Faults', units: 'count', subTitle: null, dataSeries: [aSeries([])] }),
  rooms: {
    ...{
      title: 'Room temperature',
      units: '°C',
      rangeMin: 0,
      limits: [{ value: 16, label: 'Cold limit below 16 °C' }],
    },
    dataSeries: [line('Bedroom 1', hours(48, 15), 'series-2'), line('Living room', hours(48, 18), 'series-5')],
  },
  co2: { title: 'CO2', units: 'ppm', dataSeries: [line('Living room', hours(160, 700), 'series-5')] },
}
const cards = Object.entries(shown)
  .filter(([id]) => id !== 'flowReturn')
  .map(([id, { title = id, type }]) => ({
    ...{ id, title, type: type === 'Numeric' ? 'numericCard' : 'lineGraph', gridWidth: 6, hideWhenNoData: false },
    deviceIds: [idOf(60)],
  }))
const monitoring = [
  { id: 'flowReturn', title: 'Flow and return temperature', type: 'lineGraph' },
  { id: 'faults', title: 'Faults', type: 'numericCard' },
].map((one) => ({ ...one, gridWidth: 6, hideWhenNoData: false, deviceIds: [idOf(60)] }))
const answers = [
  ...homePages(home),
  answer(getPropertyTelemetryViews, {
    results: [
      { id: 'property', name: 'Property Summary', defaultChartId: 'rooms', cards: cards as never },
      { id: 'monitoring', name: 'Boiler Monitoring', defaultChartId: 'flowReturn', cards: monitoring as never },
    ],
  }),
  answer(getPropertyTelemetryChart, ({ query: { from, to, chart } }) => ({
    ...{ from: from.toISOString(), to: to.toISOString() },
    chart: aChart(chart, shown[chart]!),
  })),
  answer(getPropertyDampCells, { hours: 2, humidity: 80, watchDays: 3, highDays: 5, rooms: [] }),
]
const address = `/northgate/Properties/${home.propertyId}/telemetry`
const open = (more: readonly ServerAnswer[] = [], at = address) =>
  openPortal(at, { features: ['PropertyCentric', 'AuditTab'], answers: [...answers, ...more] })
const auditTab = address.replace('telemetry', 'propertyAudit')
const drawn = (title: string) => region(title).getByCss('canvas')
const noData = (title: string) => region(title).getByText('No data available', { exact: true })

test('a mean states its days, and a period without readings has no fault count', async () => {
  await open()
  await expect.element(region('Average room temperature')).toMatchTextContent(/Mean of 3 of 7 days/)
  await expect.element(region('Faults').getByText('No Data', { exact: true })).toBeVisible()
})

test('a chart states for how many days there is data and when there is none', async () => {
  await open()
  await expect.element(region('Room temperature').getByText(/^Data for [23] of 7 days$/)).toBeVisible()
  await expect
    .element(region('Room temperature').getByRole('img', { name: 'Room temperature' }))
    .toHaveAccessibleDescription(/No readings from \d\d\/\d\d\/\d{4} to \d\d\/\d\d\/\d{4}\.$/)
  await expect.element(region('CO2').getByText(/^Data for/)).not.toBeInTheDocument()
})

test('a room keeps its colour in every chart', async () => {
  await open()
  await expect.element(region('CO2').getByCss('canvas')).toBeVisible()
  const colourIn = (card: string) =>
    region(card).getByText('Living room').first().element().querySelector('i')!.style.background
  expect([colourIn('Room temperature'), colourIn('CO2')]).toEqual(['var(--series-5)', 'var(--series-5)'])
})

test('last winter and the same time last year are selected with one click', async () => {
  await open()
  const range = page.getByRole('button', { name: /^Range: / })
  const today = dayAt(Date.now(), 'UTC')
  const texts = ({ from, to }: { from: string; to: string }) => `${dayText(from)} – ${dayText(to)}`
  await range.click()
  await page.getByRole('button', { name: 'Last winter' }).click()
  await expectTexts(range, [texts(lastWinter(today))])
  await range.click()
  await page.getByRole('button', { name: 'Same time last year' }).click()
  await expectTexts(range, [texts(yearBefore(lastWinter(today)))])
})

test('a property opens on the last week, and each range is requested in whole UTC days up to today [est-2.3-76 est-2.3-83 est-2.3-84 est-2.3-85 est-2.3-86 est-2.3-87 est-2.3-88 est-2.3-89 est-2.3-90 est-2.3-95]', async () => {
  const portal = await open()
  const today = dayAt(Date.now(), 'UTC')
  const month = `${today.slice(0, 8)}01`
  const lastOfMonth = dayAfter(month, -1)
  const range = page.getByRole('button', { name: /^Range: / })
  const asked = () =>
    portal
      .sentTo(getPropertyTelemetryChart)
      .filter(({ query }) => query.chart === 'rooms')
      .map(({ query: { from, to } }) => `${from.toISOString()} ${to.toISOString()}`)
  const wholeDays = (from: string, to: string) => `${from}T00:00:00.000Z ${to}T23:59:59.999Z`
  await expect.poll(asked).toEqual([wholeDays(dayAfter(today, -6), today)])
  for (const [label, from, to] of [
    ['Last 5 weeks', dayAfter(today, -34), today],
    ['Previous Calendar Month', `${lastOfMonth.slice(0, 8)}01`, lastOfMonth],
    ['So far this month', month, today],
    ['Last 7 days', dayAfter(today, -6), today],
  ] as const) {
    await page.getByRole('radiogroup', { name: 'Range' }).getByText(label, { exact: true }).click()
    await expectTexts(range, [`${dayText(from)} – ${dayText(to)}`])
    await expect.poll(asked).toContain(wholeDays(from, to))
  }
  await range.click()
  const to = page.getByRole('dialog', { name: 'Range' }).getByRole('textbox', { name: 'To' })
  await to.fill(dayText(dayAfter(today, 1)))
  await userEvent.keyboard('{Tab}')
  await expect.element(page.getByText('A date cannot be later than today')).toBeVisible()
})

test('each chart loads independently: a slow or failed chart does not delay others, and can be retried [est-2.3-91 est-2.3-92 est-2.3-93]', async () => {
  const slow = Promise.withResolvers<void>()
  let isBroken = true
  const route = getPropertyTelemetryChart
  const [usual, broken] = [answers.find((one) => one.route === route)!, answerStatus(route, 500)]
  const portal = await open([
    {
      route,
      respond: async (sent) => {
        const { chart } = (sent as unknown as { query: { chart: string } }).query
        if (chart === 'rooms') await slow.promise
        return (chart === 'co2' && isBroken ? broken : usual).respond(sent)
      },
    },
  ])
  await expect.element(region('Average room temperature')).toMatchTextContent(/Mean of 3 of 7 days/)
  await expect.element(region('CO2').getByText('Something went wrong, please retry.')).toBeVisible()
  await expect.element(region('Room temperature').getByText('Loading', { exact: true })).toBeVisible()
  slow.resolve()
  await expect.element(drawn('Room temperature')).toBeVisible()
  isBroken = false
  await region('CO2').getByRole('button', { name: 'Retry' }).click()
  await expect.element(drawn('CO2')).toBeVisible()
  expect(portal.sentTo(getPropertyTelemetryChart).filter(({ query }) => query.chart === 'rooms').length).toBe(1)
})

test('another view has the charts of that view, and is in the address [est-2.3-75 est-2.3-77 est-2.3-94]', async () => {
  const portal = await open()
  const picker = page.getByRole('combobox', { name: 'View' })
  await expect.element(picker).toHaveValue('Property Summary')
  await picker.click()
  await expectTexts(page.getByRole('option'), ['Property Summary', 'Boiler Monitoring'])
  await page.getByRole('option', { name: 'Boiler Monitoring' }).click()
  await expect.element(drawn('Flow and return temperature')).toBeVisible()
  await expect.element(region('CO2')).not.toBeInTheDocument()
  expect(portal.address()).toContain('view=monitoring')
  expect(portal.sentTo(getPropertyTelemetryChart).map(({ query }) => query.chart)).toContain('flowReturn')
})

test('a property without readings shows that [est-8-19 est-8-20]', async () => {
  const empty = answer(getPropertyTelemetryChart, ({ query: { from, to, chart } }) => {
    const { dataSeries = [], ...more } = shown[chart]!
    const none = dataSeries.map((one) => ({ ...one, series: [], latest: null }))
    return { from: from.toISOString(), to: to.toISOString(), chart: aChart(chart, { ...more, dataSeries: none }) }
  })
  await open([empty], `${address}?view=monitoring`)
  await expect.element(noData('Flow and return temperature')).toBeVisible()
  await expect.element(region('Faults').getByText('No Data', { exact: true })).toBeVisible()
})

test('a property whose views fail to load shows that [est-2.3-96]', async () => {
  await open([answerStatus(getPropertyTelemetryViews, 500)])
  await expect.element(page.getByText('Failed to retrieve property data')).toBeVisible()
})

test('a property without changes has no data in its audit [est-8-21]', async () => {
  await open([answer(getPropertyAudit, { results: [], total: 0 })], auditTab)
  await expect.element(page.getByRole('main').getByText('No data available', { exact: true })).toBeVisible()
})

test('a chart shows its limits', async () => {
  await open()
  await expect
    .element(region('Room temperature').getByRole('img', { name: 'Room temperature' }))
    .toHaveAccessibleDescription(/Cold limit below 16 °C\./)
})
