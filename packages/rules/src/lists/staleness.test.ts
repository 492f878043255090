import assert from 'node:assert/strict'
import { test } from 'vitest'
import { isStale } from './staleness.ts'

const loaded = { updatedAt: '2026-11-20T10:00:00.000Z', ids: ['a', 'b'] }
const after = (milliseconds: number) => Date.parse(loaded.updatedAt) + milliseconds

test('View data is stale when more than five minutes have passed [core-4.4-3]', () => {
  assert.equal(isStale(loaded, [], after(5 * 60_000)), false)
  assert.equal(isStale(loaded, [], after(5 * 60_000 + 1)), true)
})

test('Younger view data is stale when a changed device is among its devices [core-4.4-4]', () => {
  assert.equal(isStale(loaded, ['x', 'b'], after(1000)), true)
})

test('Younger view data is not stale when no changed device is among its devices [core-4.4-5]', () => {
  assert.equal(isStale(loaded, ['x', 'y'], after(4 * 60_000)), false)
  assert.equal(isStale({ ...loaded, ids: [] }, ['x'], after(1000)), false)
})
