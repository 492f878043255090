import assert from 'node:assert/strict'
import { test } from 'vitest'
import type { Sort } from '@caretaker/rules/lists/filters.ts'
import { nextSorts } from './sorting.ts'

const up = (fieldId: string): Sort => ({ fieldId, descending: false })
const down = (fieldId: string): Sort => ({ fieldId, descending: true })

test('A column sorts ascending, then descending, then in the order of the view', () => {
  assert.deepEqual(nextSorts([], [], 'name', false), [up('name')])
  assert.deepEqual(nextSorts([up('name')], [], 'name', false), [down('name')])
  assert.deepEqual(nextSorts([down('name')], [up('floor')], 'name', false), [up('floor')])
  assert.deepEqual(nextSorts([down('name')], [down('name')], 'name', false), [up('name')])
  assert.deepEqual(nextSorts([up('name'), down('floor')], [], 'serial', false), [up('serial')])
})

test('With Shift a column is added to the sort order, reversed in place, and removed', () => {
  assert.deepEqual(nextSorts([up('building')], [], 'floor', true), [up('building'), up('floor')])
  assert.deepEqual(nextSorts([up('building'), up('floor')], [], 'building', true), [down('building'), up('floor')])
  assert.deepEqual(nextSorts([down('building'), up('floor')], [], 'building', true), [up('floor')])
  const five = ['serial', 'name', 'status', 'building', 'floor'].map(up)
  assert.deepEqual(nextSorts(five, [], 'room', true), five)
})
