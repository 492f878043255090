import assert from 'node:assert/strict'
import { test } from 'vitest'
import { comparison, meanWords } from './comparison.ts'

const day = 86_400_000

test('a figure is compared with the time of the same length before', () => {
  assert.equal(comparison(41.2, 45.3, 'Hours', 7 * day), '4.1\u00A0Hours less than the week before')
  assert.equal(comparison(186, 180, 'count', 35 * day), '6 more than the 35 days before')
  assert.equal(comparison(2, 2.001, 'count', day), 'Same as the day before')
  assert.equal(comparison(2, null, 'count', 3_600_000), 'Not enough data for the day before')
})

test('a mean states its days, and the days of the range if some are missing', () => {
  assert.deepEqual([{ read: 7, of: 7 }, { read: 3, of: 31 }, { read: 1, of: 1 }, undefined].map(meanWords), [
    'Mean of 7 days',
    'Mean of 3 of 31 days',
    'Mean of 1 day',
    undefined,
  ])
})
