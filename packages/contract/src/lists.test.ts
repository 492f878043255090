import assert from 'node:assert/strict'
import { test } from 'vitest'
import { Filter } from './lists.ts'

test('a filter has exactly a field, an operator and a value [est-3-56]', () => {
  const filter = { fieldId: 'status', filterOp: 'anyof', value: ['Ok', 'FailedDevice'] } as const
  assert.deepEqual(Filter.parse(filter), filter)
  assert.deepEqual(Filter.parse({ fieldId: 'serial', value: 'EM1' }), {
    fieldId: 'serial',
    filterOp: 'equals',
    value: 'EM1',
  })
  const wrong = [
    { ...filter, filterOp: 'near' },
    { ...filter, value: {} },
    { ...filter, value: [] },
    { ...filter, not: 1 },
  ]
  for (const one of [...wrong, { filterOp: 'equals', value: 'x' }, { fieldId: 'serial' }])
    assert.equal(Filter.safeParse(one).success, false, JSON.stringify(one))
})
