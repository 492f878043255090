import assert from 'node:assert/strict'
import { test } from 'node:test'
import { daysOf, monthAfter, shortMonth } from './months.ts'
import { validPlanSearch } from './plan-place.ts'

test('the plan takes from an address what it knows', () => {
  const whole = { month: '2026-11', span: 'year', building: 'b', without: 'T0,T5', night: '2026-11-28' }
  assert.deepEqual(validPlanSearch(whole), whole)
  const odd = { month: '2026-13', span: 'week', building: 5, without: 'T1', night: '2026-02-30' }
  assert.deepEqual(validPlanSearch(odd), {})
  assert.deepEqual(validPlanSearch({ month: 202611 }), {})
})

test('months follow each other over the years, with their days', () => {
  assert.equal(monthAfter('2026-11', 2), '2027-01')
  assert.equal(monthAfter('2026-01', -1), '2025-12')
  assert.deepEqual([daysOf('2028-02').length, daysOf('2026-11')[29]], [29, '2026-11-30'])
  assert.deepEqual([shortMonth('2026-11'), shortMonth('2027-01')], ['Nov', 'Jan 27'])
})
