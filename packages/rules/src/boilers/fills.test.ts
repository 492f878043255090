import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fillsIn, fillsWithin, keptBand } from './fills.ts'

const minute = 60_000
const day = 24 * 60 * minute
const every10 = (values: (number | null)[]) => values.map((value, index) => ({ date: index * 10 * minute, value }))

test('a fill is a rise of the pressure by a quarter of a bar, from where it began to where it ended', () => {
  const fills = fillsIn(every10([1.1, 1.05, 1, 1.3, 1.5, 1.49, 1.45, null, 1, 1.06, 1.02, 1.5, 1.52]))
  assert.deepEqual(fills, [
    { start: 100 * minute, end: 120 * minute, before: 1.02, after: 1.52 },
    { start: 20 * minute, end: 40 * minute, before: 1, after: 1.5 },
  ])
})

test('what warmth does to the pressure is no fill, nor is nothing', () => {
  assert.deepEqual(fillsIn(every10([1.2, 1.28, 1.36, 1.44, 1.36, 1.28, 1.2])), [])
  assert.deepEqual(fillsIn(every10([1, 1.2, 1])), [])
  assert.deepEqual(fillsIn([]), [])
})

test('fills of the last days are counted', () => {
  const at = (days: number) => ({ start: 100 * day - days * day, end: 0, before: 1, after: 1.5 })
  const fills = [at(1), at(4), at(5), at(29), at(31)]
  assert.equal(fillsWithin(fills, 30, 100 * day), 4)
  assert.equal(fillsWithin(fills, 5, 100 * day), 3)
})

test('between which pressures a system is kept, its fills tell, as long as there are several', () => {
  const fill = (before: number, after: number) => ({ before, after })
  assert.deepEqual(keptBand([fill(1.02, 1.48), fill(0.98, 1.52), fill(0.5, 0.8)]), { low: 1, high: 1.5 })
  assert.equal(keptBand([fill(1, 1.5)]), undefined)
  assert.equal(keptBand([]), undefined)
})
