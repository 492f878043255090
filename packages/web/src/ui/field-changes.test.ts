import assert from 'node:assert/strict'
import { test } from 'vitest'
import { changeLine, fieldChanges } from './field-changes.ts'

const london = 'Europe/London'

test('a change states the field, the old and the new value', () => {
  const changes = fieldChanges(
    { role: 'Guest', accessRightsTag: null, tags: [] },
    { role: 'Manager', accessRightsTag: 'East Patch', tags: ['a', 'b'] },
    london,
  )
  assert.deepEqual(changes, [
    { field: 'Role', before: 'Guest', after: 'Manager' },
    { field: 'Access rights tag', before: '–', after: 'East Patch' },
    { field: 'Tags', before: '–', after: 'a, b' },
  ])
  assert.equal(changeLine(changes), 'Role: Guest → Manager; Access rights tag: East Patch; Tags: a, b')
})

test('an added value has no old value, a removed value no new value', () => {
  assert.deepEqual(fieldChanges(null, { name: 'Night' }, london), [{ field: 'Name', before: '–', after: 'Night' }])
  assert.equal(changeLine(fieldChanges({ name: 'Night' }, null, london)), 'Name: Night removed')
  assert.deepEqual(fieldChanges(null, null, london), [])
})

test('property fields have the labels and date format of the property page', () => {
  const changes = fieldChanges(
    { lastGasSafetyCheckDate: '2025-03-13', address1: '1 Mill Road', epcRating: null },
    { lastGasSafetyCheckDate: '2026-10-21', address1: '2 Mill Road', epcRating: 'C' },
    london,
  )
  assert.equal(
    changeLine(changes),
    'Gas Safety Test: 13/03/2025 → 21/10/2026; Address line 1: 1 Mill Road → 2 Mill Road; EPC rating: C',
  )
})

test('values are formatted for reading, nested ones with their path', () => {
  const changes = fieldChanges(
    null,
    {
      details: { voidFlag: true, rooms: 1200 },
      changedAt: '2026-11-20T13:05:00.000Z',
      odd: [{ a: 1 }],
    },
    london,
  )
  assert.deepEqual(
    changes.map(({ field, after }) => `${field}=${after}`),
    ['Details void flag=Yes', 'Details rooms=1,200', 'Changed at=20/11/2026 13:05', 'Odd={"a":1}'],
  )
})
