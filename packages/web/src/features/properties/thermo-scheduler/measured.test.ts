import assert from 'node:assert/strict'
import { test } from 'vitest'
import { measuredOn } from './measured.ts'

const seriesOf = (deviceId: string, room: string | null, series: [string, number | null][]) => ({
  deviceId,
  propertyLocationId: room,
  label: deviceId,
  series: series.map(([at, value]) => ({ date: Date.parse(at), value })),
})
// A Wednesday in summer time.
const around = { now: Date.parse('2026-07-22T12:00Z'), zone: 'Europe/London', thermostats: new Set(['stat']) }
const hall = seriesOf('dot', 'Hall', [
  ['2026-07-20T06:00Z', 10],
  ['2026-07-20T07:00Z', 11],
])

test('the readings of the thermostat for that day are shown in the local time of the property, with gaps', () => {
  const stat = seriesOf('stat', 'Living room', [
    ['2026-07-19T22:30Z', 30],
    ['2026-07-19T23:00Z', 17],
    ['2026-07-20T06:30Z', 19.5],
    ['2026-07-20T07:30Z', null],
    ['2026-07-20T22:59Z', 18],
    ['2026-07-20T23:00Z', 31],
  ])
  assert.deepEqual(measuredOn('Monday', [hall, stat], around), {
    name: 'Living room',
    points: [
      { minute: 0, value: 17 },
      { minute: 450, value: 19.5 },
      { minute: 510, value: null },
      { minute: 23 * 60 + 59, value: 18 },
    ],
    low: 17,
    high: 19.5,
  })
})

test('without readings of the thermostat the first sensor is used and named; today is incomplete, and a day without readings shows nothing', () => {
  assert.equal(measuredOn('Monday', [hall], around)?.name, 'Hall')
  assert.equal(measuredOn('Tuesday', [hall], around), undefined)
  assert.equal(measuredOn('Monday', [], around), undefined)
  const today = seriesOf('stat', null, [
    ['2026-07-15T10:00Z', 15],
    ['2026-07-15T11:00Z', 16],
    ['2026-07-22T10:00Z', 20],
    ['2026-07-22T11:00Z', 21],
  ])
  assert.deepEqual(measuredOn('Wednesday', [today], around)?.high, 16)
})
