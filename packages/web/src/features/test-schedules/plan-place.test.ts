import assert from 'node:assert/strict'
import { test } from 'vitest'
import { daysOf, monthAfter, shortMonth } from './months.ts'
import { nearestNight, notPlannedYet, validPlanSearch } from './plan-place.ts'

test('the plan accepts only known parameters from an address', () => {
  const whole = { month: '2026-11', span: 'year', building: 'b', without: 'T0,T5', night: '2026-11-28' }
  assert.deepEqual(validPlanSearch(whole), whole)
  const odd = { month: '2026-13', span: 'week', building: 5, without: 'T1', night: '2026-02-30' }
  assert.deepEqual(validPlanSearch(odd), {})
  assert.deepEqual(validPlanSearch({ month: 202611 }), {})
})

test('months continue across years, with their days', () => {
  assert.equal(monthAfter('2026-11', 2), '2027-01')
  assert.equal(monthAfter('2026-01', -1), '2025-12')
  assert.deepEqual([daysOf('2028-02').length, daysOf('2026-11')[29]], [29, '2026-11-30'])
  assert.deepEqual([shortMonth('2026-11'), shortMonth('2027-01')], ['Nov', 'Jan 27'])
})

test('a plan beyond the scheduled period states until when tests are scheduled', () => {
  const place = { now: Date.parse('2026-11-23T12:00:00Z'), zone: 'Europe/London' }
  assert.equal(notPlannedYet(Date.parse('2027-11-24T00:00:00Z'), place), undefined)
  assert.match(
    notPlannedYet(Date.parse('2028-01-01T00:00:00Z'), place)!,
    /a year ahead, until 24\/11\/2027. Later tests/,
  )
})

test('the plan opens on tonight or the next night with a test, or on the last night if all are past', () => {
  const days = ['2026-11-01', '2026-11-10', '2026-11-26']
  assert.equal(nearestNight(days, '2026-11-26'), '2026-11-26')
  assert.equal(nearestNight(days, '2026-11-11'), '2026-11-26')
  assert.equal(nearestNight(days, '2026-11-27'), '2026-11-26')
  assert.equal(nearestNight([], '2026-11-27'), undefined)
})
