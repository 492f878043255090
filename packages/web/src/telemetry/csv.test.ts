import assert from 'node:assert/strict'
import { test } from 'node:test'
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
  dataSeries: [],
  bars: null,
  before: null,
  eventSeries: [],
  ...rest,
})

test('readings and events as lines of quoted fields, times by the clocks of the zone, no formula', () => {
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
