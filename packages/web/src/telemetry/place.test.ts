import assert from 'node:assert/strict'
import { test } from 'vitest'
import { homeRangeShortcuts, homeZone, rangeShortcuts } from '@caretaker/rules/telemetry/ranges.ts'
import { daysOf, instantsOf, rangeIn, validTelemetrySearch } from './place.ts'

const today = '2026-11-20'
const zone = 'Europe/London'

test('an address holds view, range or days, and no unknown parameters', () => {
  assert.deepEqual(validTelemetrySearch({ view: 'assets', range: 'last5Weeks', from: '2026-11-01', page: 7 }), {
    view: 'assets',
    range: 'last5Weeks',
  })
  assert.deepEqual(validTelemetrySearch({ view: 'none', range: 'forever', from: '31/12/2026', to: '2026-11-02' }), {
    to: '2026-11-02',
  })
  assert.deepEqual(validTelemetrySearch({ range: 'last7Days' }), {})
})

test('no range has a future day, and a reversed range is corrected', () => {
  assert.deepEqual(rangeIn({}, today, rangeShortcuts), { shortcut: 'last7Days', days: undefined })
  assert.deepEqual(rangeIn({ from: '2026-11-25', to: '2027-01-01' }, today, rangeShortcuts).days, {
    from: today,
    to: today,
  })
  assert.deepEqual(rangeIn({ from: '2026-11-15', to: '2026-11-10' }, today, rangeShortcuts).days, {
    from: '2026-11-10',
    to: '2026-11-15',
  })
  assert.deepEqual(rangeIn({ to: '2026-11-10' }, today, rangeShortcuts).days, { from: '2026-11-03', to: '2026-11-10' })
  assert.deepEqual(rangeIn({ range: 'previousMonth' }, today, rangeShortcuts).days, {
    from: '2026-10-01',
    to: '2026-10-31',
  })
})

test('the last week has no fixed instants; it covers the days that it touches', () => {
  const week = rangeIn({}, today, rangeShortcuts)
  assert.equal(instantsOf(week, zone), undefined)
  assert.deepEqual(daysOf(week, Date.parse('2026-11-20T09:00Z'), zone), { from: '2026-11-13', to: today })
})

test('on the page of a property a range has whole UTC days, the last of which is today [est-2.3-83] [est-2.3-84] [est-2.3-85] [est-2.3-86] [est-2.3-87] [est-2.3-89] [est-2.3-90]', () => {
  const texts = (search: Parameters<typeof rangeIn>[0]) => {
    const { from, to } = instantsOf(rangeIn(search, today, homeRangeShortcuts), homeZone)!
    return [from, to].map((one) => new Date(one).toISOString())
  }
  const end = '2026-11-20T23:59:59.999Z'
  assert.deepEqual(texts({}), ['2026-11-14T00:00:00.000Z', end])
  assert.deepEqual(texts({ range: 'soFarThisMonth' }), ['2026-11-01T00:00:00.000Z', end])
  assert.deepEqual(texts({ range: 'previousMonth' }), ['2026-10-01T00:00:00.000Z', '2026-10-31T23:59:59.999Z'])
  assert.deepEqual(texts({ range: 'last5Weeks' }), ['2026-10-17T00:00:00.000Z', end])
  assert.deepEqual(texts({ from: '2026-11-03', to: '2027-01-01' }), ['2026-11-03T00:00:00.000Z', end])
})
