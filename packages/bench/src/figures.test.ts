import assert from 'node:assert/strict'
import { test } from 'vitest'
import { percentile, spreadOf } from './figures.ts'
import { roundsOf } from './rounds.ts'

const upTo = (count: number) => Array.from({ length: count }, (_, n) => count - n)

test('a percentile is the smallest sample that its share of samples does not exceed', () => {
  assert.equal(percentile(upTo(100), 0.5), 50)
  assert.equal(percentile(upTo(100), 0.99), 99)
  assert.equal(percentile(upTo(40), 0.95), 38)
  assert.equal(percentile([7], 0.95), 7)
  assert.ok(Number.isNaN(percentile([], 0.5)))
})

test('p95 needs 40 samples, p99 needs 100', () => {
  assert.deepEqual(spreadOf(upTo(39)), { p50: 20, p95: null, p99: null, longest: 39 })
  assert.deepEqual(spreadOf(upTo(40)), { p50: 20, p95: 38, p99: null, longest: 40 })
  assert.deepEqual(spreadOf(upTo(100)), { p50: 50, p95: 95, p99: 99, longest: 100 })
  assert.equal(roundsOf('rounds', '100', 'p99'), 100)
  assert.throws(() => roundsOf('rounds', '99', 'p99'), /--rounds must be at least 100/)
  assert.throws(() => roundsOf('painted', 'many', 'p95'), /--painted must be at least 40/)
})
