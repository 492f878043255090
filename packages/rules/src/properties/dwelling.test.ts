import assert from 'node:assert/strict'
import { test } from 'vitest'
import { energyRatings, energyRatingWords } from './dwelling.ts'

test("energy ratings are A to G and 'No rating' [core-3-43]", () => {
  assert.deepEqual(energyRatings.map(energyRatingWords), ['A', 'B', 'C', 'D', 'E', 'F', 'G', 'No rating'])
  assert.equal(energyRatingWords(null), 'No rating')
})
