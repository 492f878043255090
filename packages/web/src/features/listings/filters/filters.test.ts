import assert from 'node:assert/strict'
import { test } from 'node:test'
import { listings, presetStatuses } from '@caretaker/rules/devices/list.ts'
import type { DeviceField } from '@caretaker/rules/devices/list.ts'
import { fieldsOf } from '@caretaker/rules/lists/list.ts'
import type { Filter } from '@caretaker/rules/lists/filters.ts'
import { filterFault } from '@caretaker/rules/lists/filters.ts'
import { draftFault, draftOf, filtersOf, modesOf, withFilters } from './draft.ts'
import { chipsOf, statusesOf } from './words.ts'

const fields = fieldsOf(listings.EmergencyLights, false)
const field = (id: string): DeviceField => fields.find(({ fieldId }) => fieldId === id)!

test('What a form makes of filters it gives back, and the listing knows it', () => {
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

test('A range that ends before it begins is wrong', () => {
  const draft = { ...draftOf(field('lastTest'), []), from: '2026-02-01', to: '2026-01-01' }
  assert.equal(draftFault(field('lastTest'), draft), 'The end is before the beginning')
  assert.equal(draftFault(field('lastTest'), { ...draft, to: '' }), undefined)
})

test('Chips say field, relation and value in words; whole groups of statuses and ranges are one', () => {
  const words = (filters: Filter[]) =>
    chipsOf(filters, fields).map(({ field: of, relation, value }) => `${of.label} ${relation} ${value}`)
  const status = (value: readonly string[]): Filter => ({ fieldId: 'status', filterOp: 'anyof', value })
  assert.deepEqual(words([status(presetStatuses.failed)]), ['Status is any of Failed, Device failed'])
  assert.deepEqual(words([status(presetStatuses.warning)]), ['Status is Warning'])
  assert.deepEqual(words([status(presetStatuses.installed)]), ['Status is any of 4 groups'])
  assert.deepEqual(words([status(['Allocated'])]), ['Status is Allocated'])
  assert.deepEqual(words([{ fieldId: 'building', filterOp: 'noneof', value: ['Foundry Yard'] }]), [
    'Building is not Foundry Yard',
  ])
  assert.deepEqual(
    words([
      { fieldId: 'lastTest', filterOp: 'from', value: '2026-01-01' },
      { fieldId: 'inWholesale', filterOp: 'equals', value: true },
      { fieldId: 'lastTest', filterOp: 'to', value: '2026-01-31' },
    ]),
    ['Last test between 01/01/2026 – 31/01/2026', 'In wholesale is Yes'],
  )
  assert.deepEqual(words([{ fieldId: 'unknown', filterOp: 'equals', value: 'x' }]), [])
})

test('Every status that a device can have is in one group', () => {
  const all = (['Passed', 'Warning', 'Failed', 'FailedDevice', 'NotInstalled'] as const).flatMap(statusesOf)
  assert.equal(new Set(all).size, 16)
  assert.equal(all.length, 16)
})

test('Changed filters stand where they stood, others stay', () => {
  const [a, b, c] = ['a', 'b', 'c'].map((value): Filter => ({ fieldId: 'name', filterOp: 'equals', value }))
  const d: Filter = { fieldId: 'name', filterOp: 'equals', value: 'd' }
  assert.deepEqual(withFilters([a!, b!, c!], [b!], [d]), [a, d, c])
  assert.deepEqual(withFilters([a!, b!], [a!], []), [b])
  assert.deepEqual(withFilters([a!], [], [d]), [a, d])
})
