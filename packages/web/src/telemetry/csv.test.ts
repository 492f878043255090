import assert from 'node:assert/strict'
import { test } from 'vitest'
import type { Chart } from '@caretaker/contract/telemetry.ts'
import { csvOf } from './csv.ts'

const chart = (rest: Partial<Chart>): Chart => ({
  id: 'one',
  type: 'Linear',
  title: 'Flow',
  subTitle: null,
  chartLabel: 'Flow (°C)',
  gridWidth: 12,
  units: '°C',
  color: null,
  rangeMin: 0,
  rangeMax: null,
  limits: [],
  hideWhenNoData: false,
  difference: false,
  dataSeries: [],
  bars: null,
  before: null,
  eventSeries: [],
  eventsSince: null,
  ...rest,
})

test('readings and events are quoted fields with times in the zone, and never formulas', () => {
  const at = Date.parse('2026-07-01T11:05:00Z')
  const lines = csvOf(
    [
      chart({
        dataSeries: [
          {
            dataSeriesId: 'a/b',
            metric: 'outsideTemperature',
            label: '=cmd("x")',
            unit: '°C',
            series: [
              { date: at, value: -3.5 },
              { date: at + 1, value: null },
            ],
            latest: null,
          },
        ],
      }),
      chart({
        title: 'Events',
        eventSeries: [
          {
            eventId: '1',
            start: '2026-07-01T11:05:00Z',
            end: null,
            severity: 'High',
            category: 'Boiler',
            description: 'EA: no flame',
            cardTitle: 'Events',
            contextLabel: 'Kitchen boiler',
          },
        ],
      }),
    ],
    'Europe/London',
  ).split('\r\n')
  assert.equal(lines[0], '\uFEFF"Chart","Series","Unit","Time","Value","Until","Severity","Description"')
  assert.equal(lines[1], '"Flow","\'=cmd(""x"")","°C","01/07/2026 12:05","-3.5","","",""')
  assert.equal(
    lines[2],
    '"Events","Boiler","","01/07/2026 12:05","Kitchen boiler","still active","High","EA: no flame"',
  )
  assert.equal(lines.length, 4)
})

test('if events are left out, a last line states until when', () => {
  const lines = csvOf([chart({ title: 'Events', eventsSince: '2026-07-01T11:05:00Z' })], 'Europe/London').split('\r\n')
  assert.equal(lines[1], '"Events","","","","","01/07/2026 12:05","","Not all earlier events are included"')
})

test('on days when the clocks change no two instants have the same text, and each matches its clock', () => {
  const timesOf = (from: string) => {
    const begin = Date.parse(from)
    const series = Array.from({ length: 8 }, (_, n) => ({ date: begin + n * 1_800_000, value: n }))
    const withEvents = chart({
      dataSeries: [{ dataSeriesId: 'a', metric: 'temperature', label: 'Hall', unit: '°C', series, latest: null }],
    })
    return csvOf([withEvents], 'Europe/London')
      .split('\r\n')
      .slice(1, -1)
      .map((line) => line.split('","')[3]!.replace(/^\d\d\/\d\d\/\d{4} /, ''))
  }
  assert.deepEqual(timesOf('2026-10-24T23:30:00Z'), [
    ...['00:30', '01:00 BST', '01:30 BST', '01:00 GMT', '01:30 GMT', '02:00', '02:30', '03:00'],
  ])
  assert.deepEqual(timesOf('2026-03-28T23:30:00Z'), [
    ...['23:30', '00:00', '00:30', '02:00', '02:30', '03:00', '03:30', '04:00'],
  ])
})
