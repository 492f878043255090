import assert from 'node:assert/strict'
import { test } from 'vitest'
import type { PowerHour } from './performance.ts'
import { performanceAt, performanceOver } from './performance.ts'

const hour = 3_600_000
const begin = Date.parse('2026-11-20T00:00:00Z')
const range = { from: begin, to: begin + 4 * hour }
/** Hourly mean powers from the start, with the number of readings; undefined for hours without. */
const hours = (means: (number | undefined)[], readings: number[] = []): PowerHour[] =>
  means.flatMap((mean, at) =>
    mean === undefined ? [] : [{ hour: begin + at * hour, readings: readings[at] ?? 60, mean }],
  )
const steady = hours([1, 2, 0.5, 0.5])

test('the heat for one kWh is total heat over total electricity, without a figure if either side has a gap', () => {
  const heat = hours([4, 6, 2, 0])
  for (const [what, sides, at, figure] of [
    ['of sums, not of ratios', { heat, electricity: steady }, range, 3],
    ['an hour without heat', { heat: hours([4, undefined, 2, 0]), electricity: steady }, range, 'gaps'],
    ['an hour without electricity', { heat, electricity: hours([1, 2, undefined, 0.5]) }, range, 'gaps'],
    ['the same hour of both', { heat: heat.slice(1), electricity: steady.slice(1) }, range, 'gaps'],
    ['the last hour of both', { heat: heat.slice(0, 3), electricity: steady.slice(0, 3) }, range, 'gaps'],
    ['minutes of one side', { heat: hours([4, 6, 2, 0], [60, 53]), electricity: steady }, range, 'gaps'],
    ['minutes of the other', { heat, electricity: hours([1, 2, 0.5, 0.5], [60, 60, 30]) }, range, 'gaps'],
    ['a lost reading', { heat: hours([4, 6, 2, 0], [60, 55]), electricity: steady }, range, 3],
    [
      'outside of the range is no gap',
      { heat, electricity: steady },
      { from: begin + hour, to: begin + 3 * hour },
      3.2,
    ],
    ['of parts of hours nothing', { heat, electricity: steady }, { from: begin + 1, to: begin + 4 * hour - 1 }, 3.2],
    ['less than an hour', { heat, electricity: steady }, { from: begin + 1, to: begin + hour }, null],
    ['no heat at all', { heat: hours([0, 0, 0, 0]), electricity: steady }, range, 0],
    ['nothing taken', { heat: hours([0, 0, 0, 0]), electricity: hours([0, 0, 0, 0]) }, range, null],
    ['heat that is never told', { heat: [], electricity: steady }, range, null],
    ['electricity that is never told', { heat, electricity: [] }, range, null],
  ] as const)
    assert.equal(performanceOver(sides, at), figure, what)
})

test('over time each reading is compared with the nearest one within a minute, except while there is no heat', () => {
  const minute = 60_000
  const points = (...values: (readonly [number, number | null])[]) =>
    values.map(([minutes, value]) => ({ date: begin + minutes * minute, value }))
  assert.deepEqual(
    performanceAt({
      heat: points([1, 6], [5, 0], [10, null], [20, 4], [30, 3], [35, 8]),
      electricity: points([1, 2], [5, 0.03], [10, 1], [15, 1], [20, 0], [25, null], [30, 1], [35, 2]),
    }),
    points([1, 3], [5, null], [10, null], [15, null], [20, null], [25, null], [30, 3], [35, 4]),
  )
  assert.deepEqual(
    performanceAt({
      heat: points([0.2, 6], [1, 8], [2.1, 4], [9, 4]),
      electricity: points([0, 2], [1.4, 2], [2, 2], [8, 2], [10.001, 2]),
    }),
    points([0, 3], [1.4, 4], [2, 2], [8, 2], [10.001, null]),
    'in messages of their own',
  )
  assert.deepEqual(performanceAt({ heat: points([1, 6]), electricity: [] }), [])
  assert.deepEqual(performanceAt({ heat: [], electricity: points([1, 6]) }), points([1, null]))
})
