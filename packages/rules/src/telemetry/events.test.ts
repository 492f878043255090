import assert from 'node:assert/strict'
import { test } from 'vitest'
import { eventsAround, severities } from './events.ts'

test('an event has a severity [dev-3ent-33]', () => assert.deepEqual(severities, ['Low', 'Medium', 'High']))

test('events at a time are those that contain it, are close to it, or still continue; nearest first', () => {
  const [over, near, lasting] = [
    { start: 0, end: 10 },
    { start: 40, end: 45 },
    { start: 20, end: null },
  ]
  const names = (time: number, distance: number) => eventsAround([over, near, lasting], time, distance)
  assert.deepEqual(names(5, 0), [over])
  assert.deepEqual(names(15, 4), [])
  assert.deepEqual(names(15, 5), [lasting, over])
  assert.deepEqual(names(42, 0), [near, lasting])
  assert.deepEqual(names(1_000_000, 0), [lasting])
})
