import assert from 'node:assert/strict'
import { test } from 'vitest'
import { searchOf, tablePlace, validTableSearch } from './table-place.ts'

test('an address restores the place it was made from', () => {
  const place = { page: 3, sort: { id: 'name', descending: true }, filter: 'a b' }
  assert.deepEqual(searchOf(place), { page: 3, sort: '-name', filter: 'a b' })
  assert.deepEqual(tablePlace(searchOf(place)), place)
})

test('default values are left out of the address', () => {
  assert.deepEqual(searchOf({ page: 1, sort: undefined, filter: '' }), {})
  assert.deepEqual(tablePlace({}), { page: 1, sort: undefined, filter: '' })
})

test('any value in an address is accepted without an error', () => {
  assert.deepEqual(validTableSearch({ page: 'x', sort: ['a'], filter: { a: 1 } }), {})
  assert.deepEqual(validTableSearch({ page: -2, sort: "'; drop", filter: 123 }), { filter: '123' })
  assert.deepEqual(validTableSearch({ page: 1e9, filter: 'x'.repeat(500) }), { filter: 'x'.repeat(100) })
})
