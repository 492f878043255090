import assert from 'node:assert/strict'
import { test } from 'vitest'
import { goingOn, severities } from './events.ts'

test('the severities of an event [dev-3ent-33]', () => assert.deepEqual(severities, ['Low', 'Medium', 'High']))

test('what was going on at a time: within it, close to it, or still lasting; the nearest first', () => {
  const [over, near, lasting] = [
    { start: 0, end: 10 },
    { start: 40, end: 45 },
    { start: 20, end: null },
  ]
  const names = (time: number, distance: number) => goingOn([over, near, lasting], time, distance)
  assert.deepEqual(names(5, 0), [over])
  assert.deepEqual(names(15, 4), [])
  assert.deepEqual(names(15, 5), [lasting, over])
  assert.deepEqual(names(42, 0), [near, lasting])
  assert.deepEqual(names(1_000_000, 0), [lasting])
})
