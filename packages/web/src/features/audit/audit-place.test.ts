import assert from 'node:assert/strict'
import { test } from 'vitest'
import { auditQueryOf, isNarrowed, untilToday, validAuditSearch } from './audit-place.ts'

test('days become instants of the zone, including the whole end day', () => {
  assert.deepEqual(auditQueryOf({ from: '2026-07-01', to: '2026-07-01' }, 'Europe/London'), {
    page: 1,
    from: '2026-06-30T23:00:00.000Z',
    to: '2026-07-01T23:00:00.000Z',
  })
})

test('any value in an address is accepted without an error', () => {
  const wild = { page: '0', user: { a: 1 }, action: 'drop table', subject: 7, from: '31/02/2026', to: 5, entry: [] }
  assert.deepEqual(validAuditSearch(wild), { subject: '7' })
  assert.deepEqual(validAuditSearch({ user: 'x'.repeat(900) }), { user: 'x'.repeat(100) })
  assert.deepEqual([validAuditSearch({ page: 200 }), validAuditSearch({ page: 201 })], [{ page: 200 }, {}])
  assert.ok(!isNarrowed(validAuditSearch({ page: 3, entry: 'e' })))
  assert.ok(isNarrowed(validAuditSearch({ action: 'tag created' })))
})

test('a future day is read as today', () => {
  const late = { user: 'Ann', from: '2026-07-02', to: '2099-01-01' }
  assert.deepEqual(untilToday(late, '2026-07-01'), { user: 'Ann', from: '2026-07-01', to: '2026-07-01' })
  for (const past of [{}, { to: '2026-07-01' }, { from: '2026-06-30', page: 2 }])
    assert.deepEqual(untilToday(past, '2026-07-01'), past)
})
