import assert from 'node:assert/strict'
import { test } from 'vitest'
import type { TestsOfMonth } from '@caretaker/contract/lighting.ts'
import { cellName, monthHead, monthOf, narrowedTo, numberOf, toneOf } from './overview-words.ts'

const cell: TestsOfMonth = {
  ...{ month: '2026-11', testType: 'T180', lights: 72, worst: 'Failed', worstLights: 5, corrected: 1, disputed: 1 },
}

test('a cell of the overview states its month, its test and how many lights are affected', () => {
  assert.equal(cellName(cell), 'November 2026, 3-hour test: 5 failed of 72, 1 corrected, 1 disputed')
  const passed: TestsOfMonth = { ...cell, worst: 'Passed', worstLights: 72, corrected: 0, disputed: 0 }
  assert.equal(cellName(passed), 'November 2026, 3-hour test: all 72 passed')
  assert.deepEqual([numberOf(cell), numberOf(passed)], [5, 72])
  assert.deepEqual(
    (
      ['Passed', 'Failed', 'Degraded', 'Indeterminate', 'AwaitingReview', 'AwaitingAnalysis', 'Suppressed'] as const
    ).map(toneOf),
    ['passed', 'failed', 'warning', 'warning', 'warning', 'unknown', 'unknown'],
  )
})

test('a cell filters the table by its days and its test, and is identified by them', () => {
  assert.deepEqual(narrowedTo({ month: '2028-02', testType: 'T0' }), {
    type: 'T0',
    from: '2028-02-01',
    to: '2028-02-29',
  })
  assert.equal(monthOf(narrowedTo(cell)), '2026-11')
  assert.equal(monthOf({ from: '2026-11-01', to: '2026-11-29' }), undefined)
  assert.equal(monthOf({ from: '2026-11-02', to: '2026-11-30' }), undefined)
  assert.equal(monthOf({}), undefined)
  assert.deepEqual(
    [monthHead('2025-12', true), monthHead('2026-01', false), monthHead('2026-02', false)],
    ['Dec 25', 'Jan 26', 'Feb'],
  )
})
