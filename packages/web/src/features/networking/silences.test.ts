import assert from 'node:assert/strict'
import { test } from 'vitest'
import { lengthOf, outside, silencesIn } from './silences.ts'

const range = { from: 0, to: 100 }
const points = (...dates: (number | [number])[]) =>
  dates.map((date) => (typeof date === 'number' ? { date, value: 1 } : { date: date[0], value: null }))

test('a gap lasts from the reading before it to the next one', () => {
  assert.deepEqual(silencesIn([points(0, 10, [11], 40, 50)], range, null), [{ from: 10, to: 40 }])
  assert.deepEqual(silencesIn([points(0, 10, [11], 40), points(0, 10, [12], 40)], range, null), [{ from: 10, to: 40 }])
})

test('a gap that another series fills is not a gap', () => {
  assert.deepEqual(silencesIn([points(0, 10, [11], 40), points(0, 12, 20, 30, 40)], range, null), [])
})

test('for an offline device the time since the last contact counts, for an online device it does not', () => {
  assert.deepEqual(silencesIn([points(0, 60)], range, 55), [{ from: 60, to: 100 }])
  assert.deepEqual(silencesIn([points(0, 60, [61])], range, 70), [{ from: 70, to: 100 }])
  assert.deepEqual(silencesIn([points(0, 60)], range, null), [])
})

test('a device without readings was silent for the whole time', () => {
  assert.deepEqual(silencesIn([[]], range, 0), [range])
})

test('overlapping silences are counted once', () => {
  for (const [spans, others, left] of [
    [[[10, 20]], [], [[10, 20]]],
    [
      [[10, 20]],
      [[12, 15]],
      [
        [10, 12],
        [15, 20],
      ],
    ],
    [
      [[10, 20]],
      [
        [0, 12],
        [18, 30],
      ],
      [[12, 18]],
    ],
    [[[10, 20]], [[0, 30]], []],
    [
      [
        [10, 20],
        [15, 30],
      ],
      [],
      [[10, 30]],
    ],
  ] as const) {
    const of = (all: readonly (readonly [number, number])[]) => all.map(([from, to]) => ({ from, to }))
    assert.deepEqual(outside(of(spans), of(others)), of(left))
  }
  assert.equal(
    lengthOf([
      { from: 0, to: 2 },
      { from: 5, to: 6 },
    ]),
    3,
  )
})
