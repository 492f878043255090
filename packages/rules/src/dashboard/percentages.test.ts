import assert from 'node:assert/strict'
import { test } from 'vitest'
import fc from 'fast-check'
import { percentages } from './percentages.ts'

const table: [counts: number[], shares: number[]][] = [
  [
    [1, 1, 1],
    [34, 33, 33],
  ],
  [
    [1121, 31, 16],
    [96, 3, 1],
  ],
  [
    [5, 0, 0],
    [100, 0, 0],
  ],
  [
    [0, 0, 0],
    [0, 0, 0],
  ],
  [
    [999, 0, 1],
    [99, 0, 1],
  ],
  [
    [100_000, 1, 1],
    [98, 1, 1],
  ],
  [
    [2, 2, 2, 1],
    [29, 29, 28, 14],
  ],
  [[], []],
]

test('counts become whole percentages with a sum of 100, also three equal parts [dev-2dash-28]', () => {
  for (const [counts, shares] of table) assert.deepEqual(percentages(counts), shares, counts.join(' '))
})

const anyCounts = fc.array(fc.nat(1_000_000), { minLength: 1, maxLength: 8 })

test('for any counts the percentages sum to exactly 100 or are all zero [dev-2dash-28]', () => {
  fc.assert(
    fc.property(anyCounts, (counts) => {
      const shares = percentages(counts)
      const sum = shares.reduce((total, share) => total + share, 0)
      assert.equal(sum, counts.some((count) => count > 0) ? 100 : 0)
    }),
  )
})

test('a count shows 0 % exactly when it is zero, and a larger count never shows less', () => {
  fc.assert(
    fc.property(anyCounts, (counts) => {
      const shares = percentages(counts)
      for (const [index, count] of counts.entries()) {
        assert.ok(Number.isInteger(shares[index]))
        assert.equal(shares[index] === 0, count === 0)
        for (const [other, otherCount] of counts.entries()) {
          if (count > otherCount) assert.ok(shares[index]! >= shares[other]!)
        }
      }
    }),
  )
})
