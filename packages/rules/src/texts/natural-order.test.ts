import assert from 'node:assert/strict'
import { test } from 'vitest'
import { inNaturalOrder } from './natural-order.ts'

test('numbers are ordered by value, and letters regardless of case and accents', () => {
  const ordered = ['10 Mill', 'Ave 1', 'bee', 'Cafe', 'Café', 'cafés', 'Flat 2', 'flat 10', 'Flat 10a', 'Zoo']
  assert.deepEqual(ordered.toReversed().toSorted(inNaturalOrder), ordered)
})
