import assert from 'node:assert/strict'
import { test } from 'node:test'
import { listingPlace, sortedBy, validListingSearch } from './listing-place.ts'

test('Without a search a listing shows its first page, the most severe first', () => {
  assert.deepEqual(listingPlace({}), { page: 1, sort: 'severity', descending: false, sorted: false })
})

test('Page and order are read from the address', () => {
  assert.deepEqual(listingPlace(validListingSearch({ page: 3, sort: '-name' })), {
    page: 3,
    sort: 'name',
    descending: true,
    sorted: true,
  })
  assert.deepEqual(listingPlace(validListingSearch({ page: '2', sort: 'building' })), {
    page: 2,
    sort: 'building',
    descending: false,
    sorted: true,
  })
})

test('What no listing knows is dropped from the address', () => {
  for (const search of [
    { page: 0 },
    { page: -1 },
    { page: 1.5 },
    { page: 'x' },
    { page: 1e9 },
    { page: null },
    { sort: 'colour' },
    { sort: '--name' },
    { sort: 7 },
    { filter: 'x' },
    { page: 1 },
  ])
    assert.deepEqual(validListingSearch(search), {})
})

test('An order begins at the first page', () => {
  assert.deepEqual(sortedBy({ id: 'name', descending: true }), { sort: '-name' })
  assert.deepEqual(sortedBy({ id: 'serial', descending: false }), { sort: 'serial' })
})
