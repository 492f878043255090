import { expect, test } from 'vitest'
import { page } from 'vitest/browser'
import { getPropertyDampCells } from '@caretaker/contract/damp.ts'
import type { Chart } from '@caretaker/contract/telemetry.ts'
import { getPropertyTelemetryChart, getPropertyTelemetryViews } from '@caretaker/contract/telemetry.ts'
import { dayAt, dayText } from '@caretaker/rules/calendar/days.ts'
import { lastWinter, yearBefore } from '@caretaker/rules/telemetry/ranges.ts'
import { idOf } from '../testing/examples/devices.ts'
import { aHome, homePages } from '../testing/examples/homes.ts'
import { aChart, aSeries } from '../testing/examples/telemetry.ts'
import { expectTexts } from '../testing/expect.ts'
import { answer } from '../testing/network.ts'
import { openPortal } from '../testing/portal.tsx'
import { region } from '../testing/screen.ts'

const home = aHome()
const hours = (count: number, value: number) => Array.from({ length: count }, (_, at) => value + (at % 3))
const line = (label: string, values: number[], color: string) =>
  aSeries(values, { label, unit: '°C', color, dataSeriesId: label })
const figure = (more: Partial<Chart>): Partial<Chart> => ({ type: 'Numeric', before: null, ...more })
const shown: Record<string, Partial<Chart>> = {
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
const cards = Object.entries(shown).map(([id, { title = id, type }]) => ({
  ...{ id, title, type: type === 'Numeric' ? 'numericCard' : 'lineGraph', gridWidth: 6, hideWhenNoData: false },
  deviceIds: [idOf(60)],
}))
const answers = [
  ...homePages(home),
  answer(getPropertyTelemetryViews, {
    results: [{ id: 'property', name: 'Property Summary', defaultChartId: 'rooms', cards: cards as never }],
  }),
  answer(getPropertyTelemetryChart, ({ query: { from, to, chart } }) => ({
    ...{ from: from.toISOString(), to: to.toISOString() },
    chart: aChart(chart, shown[chart]!),
  })),
  answer(getPropertyDampCells, { hours: 2, humidity: 80, watchDays: 3, highDays: 5, rooms: [] }),
]
const open = () =>
  openPortal(`/northgate/Properties/${home.propertyId}/telemetry`, { features: ['PropertyCentric'], answers })

test('a mean names its days, and of a time without readings no faults are counted', async () => {
  await open()
  await expect.element(region('Average room temperature')).toMatchTextContent(/Mean of 3 of 7 days/)
  await expect.element(region('Faults').getByText('No Data', { exact: true })).toBeVisible()
})

test('a chart says for how many days there are data and from when to when there are none', async () => {
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

test('last winter and the same time last year are ranges at one press', async () => {
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
