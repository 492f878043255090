import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isStale } from './staleness.ts'

const view = { updatedAt: 1_000_000, deviceIds: ['a', 'b'], changedIds: [] as string[] }
const minutes = (count: number) => view.updatedAt + count * 60_000

test('data is stale when more than five minutes have passed since its last update [core-4.4-3]', () => {
  assert.equal(isStale({ ...view, now: minutes(5) }), false)
  assert.equal(isStale({ ...view, now: minutes(5) + 1 }), true)
  assert.equal(isStale({ ...view, deviceIds: [], now: minutes(6) }), true)
})

test('younger data is stale when a device in it has changed [core-4.4-4]', () => {
  assert.equal(isStale({ ...view, changedIds: ['x', 'b'], now: minutes(1) }), true)
})

test('younger data is fresh when only other devices have changed, or none [core-4.4-5]', () => {
  assert.equal(isStale({ ...view, changedIds: ['x', 'y'], now: minutes(4) }), false)
  assert.equal(isStale({ ...view, now: minutes(0) }), false)
  assert.equal(isStale({ ...view, deviceIds: [], changedIds: ['x'], now: minutes(1) }), false)
})
