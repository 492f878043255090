import assert from 'node:assert/strict'
import { test } from 'vitest'
import { isExpiring, isOver, managedServiceSegments, managedServices, monthsAfter, unassigned } from './licences.ts'

const today = '2026-11-20'
const batch = (start: string, period: number, assigned: number, total: number) => ({ start, period, assigned, total })

test('a period of months ends on the day it began, or on the last of a shorter month', () => {
  assert.equal(monthsAfter('2026-01-31', 1), '2026-02-28')
  assert.equal(monthsAfter('2024-02-29', 12), '2025-02-28')
  assert.equal(monthsAfter('2026-11-20', 36), '2029-11-20')
})

test('licences are expiring if they end in under 12 months [dev-9const-5]', () => {
  const ending = (end: string) => isExpiring({ start: monthsAfter(end, -24), period: 24 }, today)
  assert.equal(ending('2026-11-21'), true)
  assert.equal(ending('2027-11-19'), true)
  assert.equal(ending('2027-11-20'), false)
  assert.equal(ending('2026-11-20'), false)
  assert.equal(isOver({ start: '2024-11-20', period: 24 }, today), true)
})

test('expired licences do not count; unassigned is total minus assigned [dev-3ent-12]', () => {
  const batches = [batch('2025-01-01', 60, 343, 384), batch('2022-05-01', 60, 28, 28), batch('2020-01-01', 12, 9, 10)]
  assert.deepEqual(managedServices(batches, today), {
    assigned: 371,
    available: 41,
    expiringInUnder12Months: 28,
    total: 412,
  })
  assert.equal(unassigned({ assigned: 371, total: 412 }), 41)
})

test('a segment of the bar is drawn only if it is wider than 2 percent [dev-9const-4]', () => {
  const parts = (assigned: number, expiringInUnder12Months: number, available: number) =>
    managedServiceSegments({ assigned, expiringInUnder12Months, available, total: assigned + available }).map(
      ({ id, count }) => [id, count],
    )
  assert.deepEqual(parts(98, 2, 2).flat(), ['assigned', 96])
  assert.deepEqual(parts(97, 3, 3), [
    ['assigned', 94],
    ['expiring', 3],
    ['available', 3],
  ])
  assert.deepEqual(parts(98, 0, 2), [['assigned', 98]])
  assert.deepEqual(parts(0, 0, 0), [])
})
