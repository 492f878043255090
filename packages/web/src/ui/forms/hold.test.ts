import assert from 'node:assert/strict'
import { test } from 'vitest'
import { holdPause, stepped, typedNumber } from './hold.ts'

test('a held button steps after 600 ms, each further pause 200 shorter, down to 100 [est-5-60]', () => {
  assert.deepEqual([0, 1, 2, 3, 4, 50].map(holdPause), [600, 400, 200, 100, 100, 100])
})

test('steps stop at the bounds', () => {
  const bounds = { min: 30, max: 80 }
  assert.equal(stepped(79, 1, bounds), 80)
  assert.equal(stepped(80, 1, bounds), 80)
  assert.equal(stepped(30, -1, bounds), 30)
  assert.equal(stepped(5, -1, bounds), 30)
  assert.equal(stepped(2.1, 0.1, { min: 0, max: 12 }), 2.2)
})

test('an emptied input is 0', () => {
  assert.equal(typedNumber(''), 0)
  assert.equal(typedNumber('12'), 12)
  assert.equal(typedNumber('2,5'), 2.5)
  assert.equal(typedNumber('-'), 0)
})
