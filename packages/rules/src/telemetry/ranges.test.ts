import assert from 'node:assert/strict'
import { test } from 'vitest'
import { lastWeek, lastWinter, rangeOfDays, rangeShortcuts, yearBefore } from './ranges.ts'

const zone = 'Europe/London'
const texts = ({ from, to }: { from: number; to: number }) => [from, to].map((one) => new Date(one).toISOString())

test('charts show the last week by default [dev-4charts-6]', () => {
  const now = Date.parse('2026-11-20T09:30:00Z')
  assert.deepEqual(texts(lastWeek(now)), ['2026-11-13T09:30:00.000Z', '2026-11-20T09:30:00.000Z'])
})

test('the range presets work in the middle of a month, on its first day and over a new year', () => {
  const { last7Days, soFarThisMonth, previousMonth, last5Weeks } = rangeShortcuts
  assert.equal(last7Days.days, undefined)
  assert.deepEqual(soFarThisMonth.days('2026-11-20'), { from: '2026-11-01', to: '2026-11-20' })
  assert.deepEqual(soFarThisMonth.days('2026-11-01'), { from: '2026-11-01', to: '2026-11-01' })
  assert.deepEqual(previousMonth.days('2026-11-20'), { from: '2026-10-01', to: '2026-10-31' })
  assert.deepEqual(previousMonth.days('2028-03-31'), { from: '2028-02-01', to: '2028-02-29' })
  assert.deepEqual(previousMonth.days('2027-01-01'), { from: '2026-12-01', to: '2026-12-31' })
  assert.deepEqual(last5Weeks.days('2027-01-05'), { from: '2026-12-01', to: '2027-01-05' })
})

test('the end day counts to its last millisecond in the zone, also on days of clock changes', () => {
  assert.deepEqual(texts(rangeOfDays({ from: '2026-03-29', to: '2026-03-29' }, zone)), [
    '2026-03-29T00:00:00.000Z',
    '2026-03-29T22:59:59.999Z',
  ])
  assert.deepEqual(texts(rangeOfDays({ from: '2026-10-25', to: '2026-10-25' }, zone)), [
    '2026-10-24T23:00:00.000Z',
    '2026-10-25T23:59:59.999Z',
  ])
})

test.each([
  ['2026-11-29', '2025-12-01', '2026-02-28'],
  ['2026-02-28', '2024-12-01', '2025-02-28'],
  ['2026-03-01', '2025-12-01', '2026-02-28'],
  ['2024-05-01', '2023-12-01', '2024-02-29'],
  ['2026-12-15', '2025-12-01', '2026-02-28'],
])('on %s the last winter went from %s to %s', (today, from, to) => {
  assert.deepEqual(lastWinter(today), { from, to })
})

test('the same days a year earlier work over a new year and on a leap day', () => {
  assert.deepEqual(yearBefore({ from: '2026-12-20', to: '2027-01-05' }), { from: '2025-12-20', to: '2026-01-05' })
  assert.deepEqual(yearBefore({ from: '2028-02-29', to: '2028-03-06' }), { from: '2027-02-28', to: '2027-03-06' })
})
