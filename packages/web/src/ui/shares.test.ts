import assert from 'node:assert/strict'
import { test } from 'vitest'
import { visibleShares } from './shares.ts'

const near = (a: number, b: number) => Math.abs(a - b) < 1e-9

test('large counts keep their proportion, small ones are raised to what can be seen', () => {
  assert.deepEqual(visibleShares([3, 1], 0.02), [0.75, 0.25])
  const [passed = 0, failed = 0] = visibleShares([999, 1], 0.02)
  assert.ok(near(passed, 0.98) && near(failed, 0.02))
})

test('zero is not drawn', () => {
  assert.deepEqual(visibleShares([0, 0, 0], 0.02), [0, 0, 0])
  assert.deepEqual(visibleShares([5, 0, 0], 0.02), [1, 0, 0])
})

test('shares sum to 1 and none above zero is too small, for all kinds of counts', () => {
  const samples = [0, 1, 2, 30, 1000, 1_000_000]
  for (const a of samples) {
    for (const b of samples) {
      for (const c of samples) {
        if (a + b + c === 0) continue
        const counts = [a, b, c]
        const shares = visibleShares(counts, 0.03)
        assert.ok(
          near(
            shares.reduce((sum, share) => sum + share, 0),
            1,
          ),
          counts.join(),
        )
        for (const [index, count] of counts.entries()) {
          assert.ok(count === 0 ? shares[index] === 0 : (shares[index] ?? 0) >= 0.03 - 1e-9, counts.join())
        }
      }
    }
  }
})
