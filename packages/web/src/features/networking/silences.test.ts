import assert from 'node:assert/strict'
import { test } from 'vitest'
import { lengthOf, outside, silencesIn } from './silences.ts'

const range = { from: 0, to: 100 }
const points = (...dates: (number | [number])[]) =>
  dates.map((date) => (typeof date === 'number' ? { date, value: 1 } : { date: date[0], value: null }))

test('a gap reaches from the reading before it to the next one', () => {
  assert.deepEqual(silencesIn([points(0, 10, [11], 40, 50)], range, null), [{ from: 10, to: 40 }])
  assert.deepEqual(silencesIn([points(0, 10, [11], 40), points(0, 10, [12], 40)], range, null), [{ from: 10, to: 40 }])
})

test('one that another series fills is none', () => {
  assert.deepEqual(silencesIn([points(0, 10, [11], 40), points(0, 12, 20, 30, 40)], range, null), [])
})

test('of one that is silent now the time since it was heard last counts, of one that is not it does not', () => {
  assert.deepEqual(silencesIn([points(0, 60)], range, 55), [{ from: 60, to: 100 }])
  assert.deepEqual(silencesIn([points(0, 60, [61])], range, 70), [{ from: 70, to: 100 }])
  assert.deepEqual(silencesIn([points(0, 60)], range, null), [])
})

test('of one without any reading nothing was heard', () => {
  assert.deepEqual(silencesIn([[]], range, 0), [range])
})

test('a time that counts for two things counts for one, and twice for none', () => {
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
