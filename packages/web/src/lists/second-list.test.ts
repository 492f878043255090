import assert from 'node:assert/strict'
import { test } from 'vitest'
import type { AnyRoute } from '@caretaker/contract/route.ts'
import { listings } from '@caretaker/rules/devices/list.ts'
import type { Fields } from '@caretaker/rules/lists/fields.ts'
import type { Filter } from '@caretaker/rules/lists/filters.ts'
import { lists } from '@caretaker/rules/lists/list.ts'
import { builtInViews, presetViewId } from '@caretaker/rules/views/view.ts'
import { viewAddress } from '../api/listing-address.ts'
import { columnsOf } from './columns.ts'
import { chipsOf } from './filters/words.ts'
import { placeIn, searchOf } from './list-place.ts'
import type { ListSource, Looks } from './list-source.ts'
import { listFields } from './list-source.ts'
import { questionOf } from './queries.ts'
import type { Kept } from './selection.ts'
import { selectionOf } from './selection.ts'

/** A made-up list with a subject other than devices: everything here is all a new list needs. */
const usual = {
  filterable: true,
  sortable: true,
  viewable: true,
  exportable: true,
  searchable: false,
  personal: false,
} as const
const propertyFields = {
  reference: { label: 'Reference', dataType: 'string', ...usual, choices: null },
  tenure: { label: 'Tenure', dataType: 'string', ...usual, choices: ['rented', 'leased'] },
  address: { label: 'Address', dataType: 'string', ...usual, personal: true, choices: null },
} as const satisfies Fields
const properties = lists(propertyFields, {
  Properties: {
    label: 'Properties',
    root: 'property',
    category: 'device',
    may: 'see boilers',
    views: 'documents',
    pageSizes: [25, 50],
    fields: ['reference', 'tenure', 'address'],
    columns: ['reference', 'tenure'],
    presets: [{ id: 'leased', label: 'Leased', filters: [{ fieldId: 'tenure', filterOp: 'equals', value: 'leased' }] }],
  },
}).Properties

interface PropertyRow {
  id: string
  reference: string
  tenure: 'rented' | 'leased'
  address: string
}
const looks: Looks<typeof propertyFields, PropertyRow> = {
  reference: { width: 120, link: true, cell: ({ reference }) => reference },
  tenure: { width: 100, cell: ({ tenure }) => tenure },
  address: { width: 200, cell: ({ address }) => address },
}
const noCall = {} as AnyRoute
const source: ListSource<PropertyRow> = {
  list: properties,
  calls: { page: noCall, choices: noCall, file: noCall },
  looks,
  words: { word: (fieldId, value) => (fieldId === 'tenure' && value === 'leased' ? 'Leased' : undefined) },
  noun: 'properties',
  emptyHint: 'Properties appear here once they are added to this client.',
  rowId: ({ id }) => id,
  rowName: ({ reference }) => reference,
  phoneRow: ({ reference }) => reference,
  phoneFields: ['reference'],
  pinField: { fieldId: 'reference', of: ({ reference }) => reference },
}

const [main, leased] = builtInViews(properties)
const fields = listFields(properties, { role: 'Manager', features: [] })
const context = { view: main!, fields, pageSizes: properties.pageSizes, pageSize: 25 }
const row = (id: string): PropertyRow => ({ id, reference: `P${id}`, tenure: 'rented', address: '1 High Street' })

test('a list of another subject gets its views, addresses, columns and chips only from its description', () => {
  assert.deepEqual([main!.label, leased!.label], ['Properties', 'Leased'])
  assert.equal(
    viewAddress('north', properties, presetViewId(properties, 'leased')),
    '/north/Properties?view=property-leased',
  )
  const { place, dropped } = placeIn(
    { columns: 'address,reference', sort: '-reference', filters: leased!.filters },
    context,
  )
  assert.deepEqual(dropped, [])
  assert.deepEqual(searchOf(place, context).columns, 'address,reference')
  assert.deepEqual(
    columnsOf(place.columns, fields, source.looks).map(({ id, header }) => [id, header]),
    [
      ['address', 'Address'],
      ['reference', 'Reference'],
    ],
  )
  const [chip] = chipsOf(place.filters, fields, source.words)
  assert.deepEqual([chip!.field.label, chip!.relation, chip!.value], ['Tenure', 'is', 'Leased'])
})

test('personal fields are absent where they are hidden, and unknown fields are removed from an address', () => {
  assert.ok(
    !listFields(properties, { role: 'Manager', features: ['HideCustomerPersonalData'] }).some(
      ({ fieldId }) => fieldId === 'address',
    ),
  )
  const { place, dropped } = placeIn(
    { columns: 'address', sort: 'serial' },
    { ...context, fields: listFields(properties, { role: 'Manager', features: ['HideCustomerPersonalData'] }) },
  )
  assert.deepEqual(place.columns, ['reference', 'tenure'])
  assert.equal(dropped.length, 2)
})

test('a list with a field without a renderer does not compile', () => {
  // @ts-expect-error -- the address has no look
  const some: Looks<typeof propertyFields, PropertyRow> = { reference: looks.reference, tenure: looks.tenure }
  assert.ok(!('address' in some))
})

/** A selection that stores its changes. */
function selecting(filters: Filter[] = []) {
  let stored: Kept<PropertyRow> = { rows: new Map() }
  const now = (asked = filters) => {
    const question = questionOf(properties.name, { filters: asked, search: '' })
    return selectionOf(stored, (next) => (stored = next), { rowId: source.rowId, question })
  }
  return now
}

test('a full selection is stored as a query with exclusions, never as ids', () => {
  const now = selecting()
  now().add([row('1'), row('2')])
  assert.deepEqual(now().chosenOf([]), { rows: [row('1'), row('2')] })
  now().addAll()
  now().remove([row('7')])
  assert.equal(now().countOf(100_000), 99_999)
  assert.ok(now().has('1') && !now().has('7'))
  const question = { listing: 'Properties', filters: [], search: '' }
  assert.deepEqual(now().chosenOf([row('1')]), { question, except: ['7'] })
  now().add([row('7')])
  assert.equal(now().countOf(100_000), 100_000)
  now().clear()
  assert.ok(now().isEmpty && now().chosenOf([]) === undefined)
})

test('a narrowed selection keeps the matching rows; a query selection becomes narrower and keeps its exclusions', () => {
  const leased: Filter[] = [{ fieldId: 'tenure', filterOp: 'equals', value: 'leased' }]
  const question = questionOf(properties.name, { filters: leased, search: '' })
  const fits = ({ id }: PropertyRow) => id !== '2'
  const now = selecting()
  now().add([row('1'), row('2')])
  now().narrow(fits, question)
  assert.deepEqual(now().chosenOf([]), { rows: [row('1')] })
  now().addAll()
  now().remove([row('1'), row('2')])
  now().narrow(fits, question)
  assert.ok(now().isEmpty)
  assert.deepEqual(now(leased).chosenOf([]), { question, except: ['1'] })
})

test('a query selection applies only to that query', () => {
  const now = selecting([])
  now().addAll()
  const narrowed: Filter[] = [{ fieldId: 'tenure', filterOp: 'equals', value: 'leased' }]
  assert.ok(now(narrowed).isEmpty)
  assert.ok(!now().isEmpty)
})

test('a selected row is as current as the rows on the screen', () => {
  const now = selecting()
  now().add([row('1')])
  const newer = { ...row('1'), address: '2 High Street' }
  assert.deepEqual(now().chosenOf([newer]), { rows: [newer] })
})

test('a query contains the list and its filters, but no sort order', () => {
  const filters: Filter[] = [{ fieldId: 'status', filterOp: 'anyof', value: ['Ok'] }]
  assert.deepEqual(questionOf(listings.Boilers.name, { filters, search: 'a' }), {
    listing: 'Boilers',
    filters,
    search: 'a',
  })
})
