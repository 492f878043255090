import assert from 'node:assert/strict'
import { test } from 'vitest'
import { closerTogether, fillRows, fillsIn, fillsWithin, keptBand, litresBetween, lockoutsIn } from './fills.ts'

const minute = 60_000
const day = 24 * 60 * minute
const every10 = (values: (number | null)[]) => values.map((value, index) => ({ date: index * 10 * minute, value }))

test('a fill is a pressure rise of at least 0.25 bar, from its start to its end', () => {
  const fills = fillsIn(every10([1.1, 1.05, 1, 1.3, 1.5, 1.49, 1.45, null, 1, 1.06, 1.02, 1.5, 1.52]))
  assert.deepEqual(fills, [
    { start: 100 * minute, end: 120 * minute, before: 1.02, after: 1.52 },
    { start: 20 * minute, end: 40 * minute, before: 1, after: 1.5 },
  ])
})

test('pressure changes from warmth, and missing readings, are no fills', () => {
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

test('the pressure band of a system follows from its fills, if there are several', () => {
  const fill = (before: number, after: number) => ({ before, after })
  assert.deepEqual(keptBand([fill(1.02, 1.48), fill(0.98, 1.52), fill(0.5, 0.8)]), { low: 1, high: 1.5 })
  assert.equal(keptBand([fill(1, 1.5)]), undefined)
  assert.equal(keptBand([]), undefined)
})

test('a lockout has the pressure at that time, if it was read', () => {
  const readings = [
    { date: Date.parse('2026-11-19T08:00:00Z'), value: 0.7 },
    { date: Date.parse('2026-11-19T09:00:00Z'), value: null },
    { date: Date.parse('2026-11-19T10:00:00Z'), value: 0.4 },
  ]
  const lasting = { timestamp: '2026-11-19T09:30:00Z', endedAt: null }
  const over = { timestamp: '2026-11-19T07:00:00Z', endedAt: '2026-11-19T07:30:00Z' }
  assert.deepEqual(lockoutsIn([lasting, over], readings), [
    { start: Date.parse(lasting.timestamp), end: null, before: 0.7 },
    { start: Date.parse(over.timestamp), end: Date.parse(over.endedAt), before: null },
  ])
})

test('a counter gives the litres of a fill, and null if it was not read or restarted', () => {
  const counter = every10([60, 60, null, 61.25, 61.25, 3])
  assert.equal(litresBetween(counter, 10 * minute, 20 * minute), 1.25)
  assert.equal(litresBetween(counter, 12 * minute, 15 * minute), 1.25)
  assert.equal(litresBetween(counter, 10 * minute, 60 * minute), null)
  assert.equal(litresBetween(counter, -1, 20 * minute), null)
  assert.equal(litresBetween(counter, 0, 50 * minute), null)
})

test('a fill has its reported times and litres, a lockout its last attempt', () => {
  const pressure = every10([1.1, 1, 1.5, 1.5, 1.2, 0.9, 0.9, 0.5])
  const water = every10([60, 60, 61, 61, 61, 61, 61.5, 62.5])
  const lockout = { start: 65 * minute, end: null, before: 0.9 }
  const topUps = [
    { start: 11 * minute, end: 13 * minute },
    { start: 50 * minute, end: 65 * minute },
  ]
  const filled = { start: 11 * minute, lasted: 2 * minute, litres: 1, before: 1, after: 1.5, lockout: null }
  const gaveUp = { start: 50 * minute, lasted: 15 * minute, litres: 1.5, before: 0.9, after: null, lockout }
  assert.deepEqual(fillRows({ pressure, water, topUps, lockouts: [lockout] }), [gaveUp, filled])
  // Missing values stay unknown.
  assert.deepEqual(fillRows({ pressure, water: [], topUps: [], lockouts: [lockout] }), [
    { ...gaveUp, start: lockout.start, lasted: null, litres: null },
    { ...filled, start: 10 * minute, lasted: null, litres: null },
  ])
  // A reported fill without a visible rise.
  assert.deepEqual(fillRows({ pressure: [], water: [], topUps: [{ start: 5, end: null }], lockouts: [] }), [
    { start: 5, lasted: null, litres: null, before: null, after: null, lockout: null },
  ])
})

test('fills have become more frequent if the later intervals are at most half as long', () => {
  assert.deepEqual(closerTogether([0, 5, 10, 12, 13, 14, 15].map((at) => at * day)), {
    before: 4,
    now: 1,
    since: 12 * day,
  })
  assert.equal(closerTogether([0, 5, 10, 15, 20, 24].map((at) => at * day)), undefined)
  assert.equal(closerTogether([0, 5, 6].map((at) => at * day)), undefined)
})
