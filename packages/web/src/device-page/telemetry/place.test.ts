import assert from 'node:assert/strict'
import { test } from 'node:test'
import { daysOf, instantsOf, rangeIn, validTelemetrySearch } from './place.ts'

const today = '2026-11-20'
const zone = 'Europe/London'

test('an address holds view, range or days, and nothing that the tab does not know', () => {
  assert.deepEqual(validTelemetrySearch({ view: 'assets', range: 'last5Weeks', from: '2026-11-01', page: 7 }), {
    view: 'assets',
    range: 'last5Weeks',
  })
  assert.deepEqual(validTelemetrySearch({ view: 'none', range: 'forever', from: '31/12/2026', to: '2026-11-02' }), {
    to: '2026-11-02',
  })
  assert.deepEqual(validTelemetrySearch({ range: 'last7Days' }), {})
})

test('no range has a future day, and one that is written backwards is turned round', () => {
  assert.deepEqual(rangeIn({}, today), { shortcut: 'last7Days', days: undefined })
  assert.deepEqual(rangeIn({ from: '2026-11-25', to: '2027-01-01' }, today).days, { from: today, to: today })
  assert.deepEqual(rangeIn({ from: '2026-11-15', to: '2026-11-10' }, today).days, {
    from: '2026-11-10',
    to: '2026-11-15',
  })
  assert.deepEqual(rangeIn({ to: '2026-11-10' }, today).days, { from: '2026-11-03', to: '2026-11-10' })
  assert.deepEqual(rangeIn({ range: 'previousMonth' }, today).days, { from: '2026-10-01', to: '2026-10-31' })
})

test('the last week has no instants of its own; its days are those that it touches', () => {
  const week = rangeIn({}, today)
  assert.equal(instantsOf(week, zone), undefined)
  assert.deepEqual(daysOf(week, Date.parse('2026-11-20T09:00Z'), zone), { from: '2026-11-13', to: today })
})
