import assert from 'node:assert/strict'
import { test } from 'vitest'
import { timeLabels } from './time-labels.ts'

const hour = 3600
const day = 24 * hour
const seconds = (iso: string) => Date.parse(iso) / 1000
const zone = 'Europe/London'

test('days of a week carry weekday and day', () => {
  const times = [seconds('2026-11-13T00:00Z'), seconds('2026-11-14T00:00Z')]
  assert.deepEqual(timeLabels(times, day, 7 * day, zone), ['Fri 13', 'Sat 14'])
})

test('hours are clock times, and midnight names the day, in summer time too', () => {
  const times = ['2026-06-30T22:00Z', '2026-06-30T23:00Z', '2026-07-01T00:00Z'].map(seconds)
  assert.deepEqual(timeLabels(times, hour, 6 * hour, zone), ['23:00', 'Wed 1', '01:00'])
})

test('long ranges name the month', () => {
  const time = seconds('2026-11-13T00:00Z')
  assert.deepEqual(timeLabels([time], 7 * day, 60 * day, zone), ['13 Nov'])
  assert.deepEqual(timeLabels([time], 30 * day, 365 * day, zone), ['Nov 2026'])
})
