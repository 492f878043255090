import assert from 'node:assert/strict'
import { test } from 'vitest'
import type { Chart } from '@caretaker/contract/telemetry.ts'
import type { CardOnPage, Shape } from './plan.ts'
import { planOf } from './plan.ts'

const zone = 'Europe/London'
const hour = 3_600_000
const from = Date.parse('2026-11-20T00:00:00Z')
const range = { from, to: from + 10 * hour }

const chart = (rest: Partial<Chart>): Chart => ({
  ...{
    id: 'one',
    type: 'Linear' as const,
    title: 'Flow',
    subTitle: null,
    chartLabel: 'Flow (°C)',
    gridWidth: 12,
    units: '°C',
  },
  ...{
    color: 'series-5',
    rangeMin: 0,
    rangeMax: null,
    limits: [],
    hideWhenNoData: false,
    difference: false,
    bars: null,
    before: null,
  },
  ...{ dataSeries: [], eventSeries: [], eventsSince: null },
  ...rest,
})
const series = (label: string, ...values: number[]): Chart['dataSeries'][number] => ({
  ...{ dataSeriesId: label, metric: 'temperature' as const, label, unit: '°C', latest: null },
  series: values.map((value, n) => ({ date: from + n * hour, value })),
})
const event = (rest: Partial<Chart['eventSeries'][number]>): Chart['eventSeries'][number] => ({
  ...{
    eventId: '1',
    start: '2026-11-20T02:00:00Z',
    end: '2026-11-20T04:00:00Z',
    severity: 'High' as const,
    category: 'Boiler',
  },
  ...{ description: 'EA: no flame', cardTitle: 'Events', contextLabel: 'Kitchen boiler' },
  ...rest,
})
/** As wide as the cards of the picture, so that a pixel of the page is a pixel of the picture. */
const onPage = (shown: Chart, rest: Partial<CardOnPage> = {}): CardOnPage => ({
  ...{ chart: shown, range, width: 1152, plot: undefined, empty: 'No data available.' },
  ...rest,
})
const plan = (...cards: CardOnPage[]) => planOf(cards, 'BX1, Monitoring', zone, (text) => text.length * 7)
const texts = (shapes: readonly Shape[]) => shapes.flatMap((shape) => (shape.kind === 'text' ? [shape.text] : []))
const boxes = (shapes: readonly Shape[], colours: RegExp) =>
  shapes.flatMap((shape) =>
    shape.kind === 'box' && colours.test(shape.colour)
      ? [[shape.colour, Math.round(shape.x), Math.round(shape.width)]]
      : [],
  )

test('a legend has the drawn lines in their colours; a series without readings has no line and no entry', () => {
  const { shapes } = plan(
    onPage(chart({ dataSeries: [series('Hall', 1), series('Attic'), series('Kitchen', 2), series('Loft', 3)] }), {
      plot: { width: 576, height: 190 },
    }),
  )
  assert.deepEqual(texts(shapes), ['BX1, Monitoring', 'Flow', 'Hall', 'Kitchen', 'Loft'])
  assert.deepEqual(
    boxes(shapes, /series/).map(([colour]) => colour),
    ['--series-5', '--series-6', '--series-1'],
  )
})

test('lines are as wide as the picture, cards are stacked, and nothing overlaps', () => {
  const card = (id: string) =>
    onPage(chart({ id, dataSeries: [series('A', 1)] }), { plot: { width: 576, height: 100 } })
  const { shapes, height } = plan(card('first'), card('second'))
  const plots = shapes.filter((shape) => shape.kind === 'plot')
  assert.deepEqual(
    plots.map(({ card: id, x, width, height: high }) => [id, x, width, high]),
    [
      ['first', 24, 1152, 200],
      ['second', 24, 1152, 200],
    ],
  )
  const [first, second] = plots
  const title = shapes.findLast((shape) => shape.kind === 'text' && shape.text === 'Flow')!
  assert.ok(first!.y + first!.height < title.y - 14 && title.y < second!.y, 'the second title stands between them')
  assert.ok(second!.y + second!.height < height)
})

test('a long legend wraps to the next row, above the lines', () => {
  const many = Array.from({ length: 12 }, (_, n) => series(`Room number ${n} on the second floor`, n))
  const { shapes } = plan(onPage(chart({ dataSeries: many }), { plot: { width: 1152, height: 100 } }))
  const plot = shapes.find((shape) => shape.kind === 'plot')!
  const labels = shapes.filter((shape) => shape.kind === 'text' && shape.text.startsWith('Room'))
  assert.equal(labels.length, 12)
  assert.ok(new Set(labels.map(({ y }) => y)).size > 1)
  for (const label of labels) assert.ok(label.x + 35 * 7 <= 1176 && label.y < plot.y)
})

test('events are lanes under the axis of the lines: a row for each category, bars at their times in the colour of their severity', () => {
  // Pixels per hour between the gutter of 104 and the edge of 76 pixels.
  const [left, per] = [24 + 104, (1152 - 104 - 76) / 10]
  const events = [
    event({}),
    event({ start: '2026-11-19T12:00:00Z', end: '2026-11-20T01:00:00Z', severity: 'Medium' }),
    event({ start: '2026-11-20T05:00:00Z', end: '2026-11-20T05:00:01Z', severity: 'Low', category: 'Command' }),
    event({ start: '2026-11-20T09:00:00Z', end: null, category: 'Connection', description: 'Not connected: silent' }),
  ]
  const { shapes } = plan(onPage(chart({ type: 'EventTimeline', title: 'Events', eventSeries: events })))
  assert.deepEqual(boxes(shapes, /status/), [
    ['--status-failed-solid', Math.round(left + 2 * per), Math.round(2 * per)],
    ['--status-warning-solid', left, Math.round(per)],
    ['--status-not-installed-solid', Math.round(left + 5 * per), 6],
    ['--status-failed-solid', Math.round(left + 9 * per), Math.round(per)],
  ])
  const rows = ['Boiler', 'Command', 'Connection'].map((one) =>
    shapes.find((shape) => shape.kind === 'text' && shape.text === one),
  )
  assert.deepEqual(
    rows.map((row) => row!.y - rows[0]!.y),
    [0, 30, 60],
  )
  assert.ok(texts(shapes).includes('Not connected, still active'))
  assert.ok(texts(shapes).includes('06:00'), 'times by the clocks of the zone')
  assert.equal(texts(shapes).filter((text) => /still active/.test(text)).length, 1)
})

test('a picture also states since when all events are included', () => {
  const timeline = chart({ type: 'EventTimeline', eventSeries: [event({})], eventsSince: '2026-11-20T01:00:00Z' })
  const { shapes, height } = plan(onPage(timeline))
  const words = shapes.find((shape) => shape.kind === 'text' && /left out/.test(shape.text))!
  assert.equal(words.kind === 'text' && words.text, 'Some events that began before 20/11/2026 01:00 are left out.')
  assert.ok(words.y < height)
})

test('on the night when the clocks go back, the axis has its hours at the right positions', () => {
  const night = { from: Date.parse('2026-10-24T23:00:00Z'), to: Date.parse('2026-10-25T05:00:00Z') }
  const late = event({ start: '2026-10-25T01:30:00Z', end: '2026-10-25T02:00:00Z' })
  const { shapes } = plan(onPage(chart({ type: 'EventTimeline', eventSeries: [late] }), { range: night }))
  const [left, per] = [128, (1152 - 104 - 76) / 6]
  assert.deepEqual(boxes(shapes, /status/), [
    ['--status-failed-solid', Math.round(left + 2.5 * per), Math.round(0.5 * per)],
  ])
  const label = shapes.find((shape) => shape.kind === 'text' && shape.text === '03:00')!
  assert.equal(Math.round(label.x), Math.round(left + 4 * per + 2))
})

for (const [what, shown, words] of [
  ['a figure', chart({ type: 'Numeric', units: 'Hours', dataSeries: [series('Burner', 12.34)] }), '12.3\u00A0Hours'],
  ['a count', chart({ type: 'Numeric', units: 'count', dataSeries: [series('Faults', 3)] }), '3'],
  ['a figure without data', chart({ type: 'Numeric' }), 'No data available.'],
  [
    'a figure that cannot be known',
    chart({ type: 'Numeric', subTitle: 'Readings are missing in this period' }),
    'Readings are missing in this period',
  ],
  ['lines that are shown as a table', chart({ dataSeries: [series('Hall', 20, 21)] }), 'Hall: 21\u00A0°C'],
  ['lines without readings', chart({}), 'No data available.'],
  ['no events', chart({ type: 'EventTimeline' }), 'No data available.'],
] as const)
  test(`${what}: '${words}'`, () => {
    assert.deepEqual(texts(plan(onPage(shown)).shapes), ['BX1, Monitoring', 'Flow', words])
  })
