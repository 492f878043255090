import assert from 'node:assert/strict'
import { test } from 'vitest'
import { homeNow } from './home-now.ts'

const now = Date.parse('2026-11-23T12:00:00Z')
const minute = 60_000
const seriesOf = (deviceId: string, value: number, ago: number, propertyLocationId: string | null = deviceId) => ({
  ...{ deviceId, propertyLocationId, label: `Sensor ${deviceId}` },
  ...{ series: [{ date: now - ago, value }], latest: { date: now - ago, value } },
})

test('current conditions come from recent readings: the most humid room first, and the mean of the known values', () => {
  const found = homeNow(
    [seriesOf('Hall', 18, 5 * minute), seriesOf('Bedroom', 16, 10 * minute), seriesOf('Loft', 3, 121 * minute, null)],
    [seriesOf('Bedroom', 74, 12 * minute), seriesOf('Hall', 60, 3 * minute)],
    now,
  )!
  assert.deepEqual([found.temperature, found.humidity, found.at], [17, 67, now - 3 * minute])
  assert.deepEqual(
    found.rooms.map(({ name, temperature, humidity, points }) => [name, temperature, humidity, points[0]!.value]),
    [
      ['Bedroom', 16, 74, 74],
      ['Hall', 18, 60, 60],
      // The sensor is silent, so its current values are unknown.
      ['Sensor Loft', null, null, 3],
    ],
  )
})

test('a property with silent sensors or without sensors has no current conditions', () => {
  assert.equal(homeNow([], [], now), undefined)
  assert.equal(
    homeNow([seriesOf('Hall', 18, 3 * 60 * minute)], [{ ...seriesOf('Hall', 1, 0), latest: null }], now),
    undefined,
  )
})
