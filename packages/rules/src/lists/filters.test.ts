import assert from 'node:assert/strict'
import { test } from 'vitest'
import fc from 'fast-check'
import { deviceFields, listingNames, listings } from '../devices/list.ts'
import { dataTypes, filterOps, opsOf } from './fields.ts'
import { fieldsOf } from './list.ts'
import type { Filter } from './filters.ts'
import { filterFault, sameFilters, sortFault } from './filters.ts'

const known = [...fieldsOf(listings.EmergencyLights, false), ...fieldsOf(listings.Boilers, false)]
const fault = (fieldId: string, filterOp: Filter['filterOp'], value: unknown) =>
  filterFault({ fieldId, filterOp, value: value as Filter['value'] }, known)
const good = {
  name: { equals: 'a', anyof: ['a'], noneof: ['a', 'b'], contains: 'a', present: true },
  tags: { equals: 'a', anyof: ['a'], noneof: ['a'] },
  latitude: { equals: 1.5, from: -90, to: 90 },
  lastTest: { equals: '2026-02-28', from: '2024-02-29', to: '2026-12-31', present: false },
  inWholesale: { equals: true },
} as const

test('fields are dates, yes or no, numbers, lists or texts; a list cannot be sorted [dev-3ent-6]', () => {
  assert.deepEqual([...dataTypes].sort(), ['bool', 'date', 'number', 'string', 'stringarray'])
  const kinds = {
    lastTest: 'date',
    inWholesale: 'bool',
    latitude: 'number',
    tags: 'stringarray',
    name: 'string',
  } as const
  for (const [id, kind] of Object.entries(kinds))
    assert.equal(deviceFields[id as keyof typeof kinds].dataType, kind, id)
  for (const field of listingNames.flatMap((listing) => fieldsOf(listings[listing], false)))
    if (field.dataType === 'stringarray') assert.equal(field.sortable, false, field.fieldId)
})

test('each type of field has its operators only [dev-3ent-6]', () => {
  for (const [fieldId, ways] of Object.entries(good)) {
    const { dataType } = known.find((field) => field.fieldId === fieldId)!
    assert.deepEqual(Object.keys(ways).sort(), [...opsOf[dataType]].sort(), fieldId)
    for (const op of filterOps) {
      const value = (ways as Record<string, unknown>)[op]
      if (value === undefined) assert.match(fault(fieldId, op, 'a')!, /cannot be compared/, `${fieldId} ${op}`)
      else assert.equal(fault(fieldId, op, value), undefined, `${fieldId} ${op}`)
    }
  }
})

test('a value of another type is rejected [dev-3ent-6]', () => {
  const wrong: [string, Filter['filterOp'], unknown][] = [
    ['name', 'equals', 1],
    ['name', 'equals', ['a']],
    ['name', 'anyof', 'a'],
    ['name', 'anyof', []],
    ['name', 'present', 'yes'],
    ['tags', 'equals', true],
    ['latitude', 'from', '1'],
    ['latitude', 'from', Number.NaN],
    ['latitude', 'from', Number.POSITIVE_INFINITY],
    ['inWholesale', 'equals', 'true'],
    ['lastTest', 'equals', '2026-02-29'],
    ['lastTest', 'equals', '2026-2-1'],
    ['lastTest', 'equals', '2026-13-01'],
    ['lastTest', 'equals', 'yesterday'],
    ['lastTest', 'equals', 0],
  ]
  for (const [fieldId, op, value] of wrong)
    assert.match(fault(fieldId, op, value)!, /^'.+' needs /, `${fieldId} ${op} ${String(value)}`)
})

test('fields that are unknown to the listing or not filterable are rejected', () => {
  for (const id of ['nonsense', '', 'constructor']) assert.match(fault(id, 'equals', 'a')!, /no field/)
  for (const id of ['firmware', 'deviceId', 'lastHeard']) assert.match(fault(id, 'equals', 'a')!, /cannot be filtered/)
})

test('a listing can be sorted by its sortable fields only', () => {
  const sort = (fieldId: string) => sortFault({ fieldId, descending: false }, known)
  for (const { fieldId, sortable } of known) assert.equal(sort(fieldId) === undefined, sortable, fieldId)
  assert.match(sort('nonsense')!, /no field/)
})

test('filters are equal regardless of the order of filters and values', () => {
  const filter = fc.record({
    fieldId: fc.constantFrom('name', 'status'),
    filterOp: fc.constantFrom(...filterOps),
    value: fc.oneof(fc.string(), fc.array(fc.string(), { minLength: 1, maxLength: 4 })),
  })
  fc.assert(
    fc.property(fc.array(filter, { maxLength: 5 }), filter, (filters, other) => {
      const turned = filters
        .toReversed()
        .map((one) => ({ ...one, value: Array.isArray(one.value) ? one.value.toReversed() : one.value }))
      assert.ok(sameFilters(filters, turned))
      assert.ok(!sameFilters(filters, [...filters, other]))
    }),
  )
  const one: Filter = { fieldId: 'status', filterOp: 'anyof', value: ['Ok'] }
  assert.ok(!sameFilters([one], [{ ...one, filterOp: 'noneof' }]))
  assert.ok(!sameFilters([one], [{ ...one, value: ['ok'] }]))
})
