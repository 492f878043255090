import assert from 'node:assert/strict'
import { test } from 'vitest'
import { listings } from '@caretaker/rules/devices/list.ts'
import type { Filter } from '@caretaker/rules/lists/filters.ts'
import { filterFault } from '@caretaker/rules/lists/filters.ts'
import type { ListField } from '../list-source.ts'
import { listFields } from '../list-source.ts'
import { draftFault, draftOf, filtersOf, modesOf, withFilters } from './draft.ts'

const fields = listFields(listings.EmergencyLights, { role: 'Manager', features: [] })
const field = (id: string): ListField => fields.find(({ fieldId }) => fieldId === id)!

test('Filters survive a round trip through the form, and the listing accepts them', () => {
  const cases: Filter[][] = [
    [{ fieldId: 'status', filterOp: 'anyof', value: ['Ok', 'Allocated'] }],
    [{ fieldId: 'building', filterOp: 'noneof', value: ['Alder House'] }],
    [{ fieldId: 'name', filterOp: 'contains', value: 'stair' }],
    [{ fieldId: 'tags', filterOp: 'anyof', value: ['Communal'] }],
    [{ fieldId: 'inWholesale', filterOp: 'equals', value: false }],
    [
      { fieldId: 'lastTest', filterOp: 'from', value: '2026-01-01' },
      { fieldId: 'lastTest', filterOp: 'to', value: '2026-01-31' },
    ],
    [{ fieldId: 'lastTest', filterOp: 'to', value: '2026-01-31' }],
  ]
  for (const filters of cases) {
    const one = field(filters[0]!.fieldId)
    assert.deepEqual(filtersOf(one, draftOf(one, filters)), filters)
    for (const filter of filters) assert.equal(filterFault(filter, fields), undefined)
  }
  for (const one of fields.filter(({ viewFilterable }) => viewFilterable)) {
    assert.ok(modesOf(one).length > 0, one.fieldId)
    assert.deepEqual(filtersOf(one, draftOf(one, [])), [])
  }
})

test('A range that ends before it begins is an error', () => {
  const draft = { ...draftOf(field('lastTest'), []), from: '2026-02-01', to: '2026-01-01' }
  assert.equal(draftFault(field('lastTest'), draft), 'The end is before the beginning')
  assert.equal(draftFault(field('lastTest'), { ...draft, to: '' }), undefined)
})

test('Changed filters keep their position, and other filters are unchanged', () => {
  const [a, b, c] = ['a', 'b', 'c'].map((value): Filter => ({ fieldId: 'name', filterOp: 'equals', value }))
  const d: Filter = { fieldId: 'name', filterOp: 'equals', value: 'd' }
  assert.deepEqual(withFilters([a!, b!, c!], [b!], [d]), [a, d, c])
  assert.deepEqual(withFilters([a!, b!], [a!], []), [b])
  assert.deepEqual(withFilters([a!], [], [d]), [a, d])
})
