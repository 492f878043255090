import assert from 'node:assert/strict'
import { test } from 'vitest'
import { align, figure, hasReadings, inWords, reading, thinned } from './readings.ts'

const series = (id: string, points: [date: number, value: number | null][]) => ({
  id,
  label: id,
  unit: '°C',
  points: points.map(([date, value]) => ({ date, value })),
})

test('series with the same times are taken as they are, gaps included', () => {
  const flow = series('Flow', [
    [1, 10],
    [2, null],
    [3, 30],
  ])
  const back = series('Return', [
    [1, 5],
    [2, 6],
    [3, 7],
  ])
  assert.deepEqual(align([flow, back]), {
    times: [1, 2, 3],
    values: [
      [10, null, 30],
      [5, 6, 7],
    ],
  })
})

test('series with other times share one row of times; a missing reading is not a gap', () => {
  const a = series('A', [
    [1, 10],
    [4, null],
  ])
  const b = series('B', [
    [2, 20],
    [4, 40],
  ])
  const { times, values } = align([a, b])
  assert.deepEqual(times, [1, 2, 4])
  assert.deepEqual(values, [
    [10, undefined, null],
    [undefined, 20, 40],
  ])
  assert.deepEqual(align([]), { times: [], values: [] })
})

test('a series with only gaps has no readings', () => {
  assert.equal(hasReadings([series('A', [[1, null]])]), false)
  assert.equal(hasReadings([]), false)
  assert.equal(hasReadings([series('A', [[1, 0]])]), true)
})

test('values are short and carry their unit', () => {
  assert.equal(reading(64.4, '°C'), '64.4\u00A0°C')
  assert.equal(reading(0.123, 'bar'), '0.12\u00A0bar')
  assert.equal(reading(7, 'count'), '7')
  assert.equal(reading(null, 'bar'), '–')
  assert.equal(figure(-123.456), '-123.5')
  assert.deepEqual([18.68, -62.27, 9.876].map(figure), ['18.7', '-62.3', '9.88'])
  assert.equal(figure(12_345.6), '12,346')
})

test('a line is described in words: last, lowest, highest and pauses', () => {
  const at = Date.UTC(2026, 10, 20, 12)
  const flow = series('Flow', [
    [at, 40],
    [at + 60_000, 65],
    [at + 120_000, null],
    [at + 180_000, null],
    [at + 240_000, 28.5],
  ])
  assert.equal(
    inWords(flow, 'Europe/London'),
    'Flow: last 28.5\u00A0°C on 20/11/2026 12:04, lowest 28.5\u00A0°C on 20/11/2026 12:04, ' +
      'highest 65\u00A0°C on 20/11/2026 12:01. 1 pause without readings.',
  )
  assert.equal(inWords(series('Flow', [[at, null]]), 'Europe/London'), 'Flow: no readings.')
})

test('readings are thinned evenly and keep the ends', () => {
  assert.deepEqual(thinned(3, 200), [0, 1, 2])
  const kept = thinned(10_080, 200)
  assert.equal(kept.length, 200)
  assert.equal(kept[0], 0)
  assert.equal(kept.at(-1), 10_079)
  assert.equal(new Set(kept).size, 200)
})
