import assert from 'node:assert/strict'
import { test } from 'vitest'
import { builtInViews } from '@caretaker/rules/views/view.ts'
import { listFields } from './list-source.ts'
import type { ListSearch, PlaceContext } from './list-place.ts'
import { placeIn, searchOf, validListSearch } from './list-place.ts'
import { listings } from '@caretaker/rules/devices/list.ts'

const [main, , , failed] = builtInViews(listings.EmergencyLights)
const context: PlaceContext = {
  view: main!,
  fields: listFields(listings.EmergencyLights, { role: 'Manager', features: [] }),
  pageSizes: [25, 50, 100],
  pageSize: 25,
}
const read = (search: Record<string, unknown>, of = context) => placeIn(validListSearch(search), of)
const building = { fieldId: 'building', filterOp: 'anyof', value: ['Alder House'] }

test('An address without parameters shows the view unchanged', () => {
  const { place, dropped } = read({}, { ...context, view: failed! })
  assert.deepEqual(place, {
    columns: failed!.columns,
    filters: failed!.filters,
    sorts: [],
    search: '',
    page: 1,
    pageSize: 25,
  })
  assert.deepEqual(dropped, [])
})

test('All parameters of an address are read and written back unchanged', () => {
  const search: ListSearch = {
    filters: [building],
    sort: '-building,floor',
    columns: 'serial,tags,status',
    search: '12',
    page: 3,
    size: 100,
  }
  const { place, dropped } = read({ ...search, search: 12, page: '3' })
  assert.deepEqual(dropped, [])
  assert.deepEqual(place.sorts, [
    { fieldId: 'building', descending: true },
    { fieldId: 'floor', descending: false },
  ])
  assert.deepEqual(place.columns, ['serial', 'tags', 'status'])
  assert.deepEqual(searchOf(place, context), search)
  assert.deepEqual(read(searchOf(place, context) as Record<string, unknown>).place, place)
})

test('Values of the view are not in the address, but their removal is', () => {
  const view = { ...failed!, sorts: [{ fieldId: 'name', descending: false }] }
  const of = { ...context, view }
  const { place } = read({}, of)
  assert.deepEqual(searchOf(place, of), {})
  const none = searchOf({ ...place, filters: [], sorts: [] }, of)
  assert.deepEqual(none, { filters: [], sort: '' })
  assert.deepEqual(read(none as Record<string, unknown>, of).place, { ...place, filters: [], sorts: [] })
})

test('Unknown names are left out with a message, and the other parameters are kept', () => {
  const cases: [Record<string, unknown>, number][] = [
    [{ page: 0 }, 1],
    [{ page: -3 }, 1],
    [{ page: 1.5 }, 1],
    [{ page: 'x' }, 1],
    [{ page: 1e9 }, 1],
    [{ size: 7 }, 1],
    [{ sort: 'colour' }, 1],
    [{ sort: '--name' }, 1],
    [{ sort: 'tags' }, 1],
    [{ sort: 7 }, 1],
    [{ columns: 'colour' }, 1],
    [{ columns: 'latitude' }, 1],
    [{ filters: 'nonsense' }, 1],
    [{ filters: { fieldId: 'name' } }, 1],
    [{ filters: [null, 1, { fieldId: 'colour', value: 'red' }] }, 3],
    [{ filters: [{ fieldId: 'status', filterOp: 'like', value: 'Ok' }] }, 1],
    [{ filters: [{ fieldId: 'status', filterOp: 'anyof', value: ['Broken'] }] }, 1],
    [{ filters: [{ fieldId: 'inWholesale', value: 'maybe' }] }, 1],
    [{ filters: [{ fieldId: 'name', value: 'x'.repeat(201) }] }, 1],
    [{ nonsense: 1 }, 0],
    [{ page: 1 }, 0],
  ]
  for (const [search, faults] of cases) {
    const { place, dropped } = read(search)
    assert.equal(dropped.length, faults, JSON.stringify(search))
    assert.deepEqual(searchOf(place, context), {}, JSON.stringify(search))
  }
  const kept = read({
    sort: 'colour,-name',
    columns: 'serial,colour,serial',
    filters: [building, { fieldId: 'x', value: 1 }],
  })
  assert.deepEqual(searchOf(kept.place, context), { filters: [building], sort: '-name', columns: 'serial' })
  assert.equal(kept.dropped.length, 3)
  const statuses = { fieldId: 'status', filterOp: 'anyof', value: ['Ok', 'Broken'] }
  assert.deepEqual(read({ filters: [statuses] }).place.filters, [{ ...statuses, value: ['Ok'] }])
})

test('A field with personal data is unknown where personal data is hidden', () => {
  const hidden = {
    ...context,
    fields: listFields(listings.EmergencyLights, { role: 'Manager', features: ['HideCustomerPersonalData'] }),
  }
  const { place, dropped } = read({ columns: 'serial,address', sort: 'address' }, hidden)
  assert.deepEqual(place.columns, ['serial'])
  assert.deepEqual(place.sorts, [])
  assert.equal(dropped.length, 2)
  assert.ok(!read({}, hidden).place.columns.includes('address'))
})
