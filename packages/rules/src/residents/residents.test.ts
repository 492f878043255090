import assert from 'node:assert/strict'
import { test } from 'vitest'
import { isShown, residentFilters, waitingFirst } from './residents.ts'

test('each choice of the filter shows the matching residences', () => {
  assert.deepEqual(
    residentFilters.map((filter) => [true, false].filter((approved) => isShown(filter, { approved }))),
    [[true, false], [true], [false]],
  )
})

test('waiting residents come first, then by name and address', () => {
  const row = (name: string, approved: boolean, address: string | null = null) => ({ name, approved, address })
  const rows = [row('b', true), row('a10', true, '2'), row('a9', true), row('z', false), row('a10', true, '1')]
  assert.deepEqual(
    rows.toSorted(waitingFirst).map(({ name, address }) => name + (address ?? '')),
    ['z', 'a9', 'a101', 'a102', 'b'],
  )
})
