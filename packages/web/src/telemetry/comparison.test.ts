import assert from 'node:assert/strict'
import { test } from 'vitest'
import { comparison } from './comparison.ts'

const day = 86_400_000

test('a figure is compared with the time of the same length before', () => {
  assert.equal(comparison(41.2, 45.3, 'Hours', 7 * day), '4.1\u00A0Hours less than the week before')
  assert.equal(comparison(186, 180, 'count', 35 * day), '6 more than the 35 days before')
  assert.equal(comparison(2, 2.001, 'count', day), 'As in the day before')
  assert.equal(comparison(2, null, 'count', 3_600_000), 'Too little is known of the day before')
})
