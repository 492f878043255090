import assert from 'node:assert/strict'
import { test } from 'vitest'
import { licenceRows, typeIn } from './licence-rows.ts'

const today = '2026-11-20'
const batches = [
  { type: 'Monitoring', assigned: 343, total: 384, start: '2025-01-01', period: 60 },
  { type: 'Monitoring', assigned: 28, total: 30, start: '2022-05-01', period: 60 },
]
const rowsFor = (type?: Parameters<typeof licenceRows>[1]) =>
  licenceRows(batches, type, today).map(({ state, count, end, isMarked }) => [state, count, end, isMarked])

test('each batch has a row of what is assigned and one of what is not', () => {
  assert.deepEqual(rowsFor(), [
    ['Assigned', 343, '2030-01-01', false],
    ['Unassigned', 41, '2030-01-01', false],
    ['Assigned', 28, '2027-05-01', false],
    ['Unassigned', 2, '2027-05-01', false],
  ])
})

test('the address points out what is assigned or available, and narrows to what expires', () => {
  assert.deepEqual(
    rowsFor('assigned').map(([, , , marked]) => marked),
    [true, false, true, false],
  )
  assert.deepEqual(
    rowsFor('available').map(([, , , marked]) => marked),
    [false, true, false, true],
  )
  assert.deepEqual(rowsFor('expiring'), [
    ['Assigned', 28, '2027-05-01', true],
    ['Unassigned', 2, '2027-05-01', false],
  ])
})

test('the address accepts known parameters only', () => {
  assert.equal(typeIn('expiring'), 'expiring')
  assert.equal(typeIn('everything'), undefined)
  assert.equal(typeIn(7), undefined)
})
