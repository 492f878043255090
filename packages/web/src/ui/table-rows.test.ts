import assert from 'node:assert/strict'
import { test } from 'vitest'
import { filteredRows, sortedRows } from './table-rows.ts'

const rows = [
  { name: 'Lift 10', floor: 2 },
  { name: 'lift 9', floor: 10 },
  { name: 'Attic', floor: null },
]
const names = (found: { name: string }[]) => found.map((row) => row.name)
const value = (row: (typeof rows)[number], id: string) => row[id as 'name' | 'floor']

test('a filter keeps the rows that have all its words somewhere, whatever their case', () => {
  const filter = (text: string) => names(filteredRows(rows, text, (row) => [row.name, row.floor]))
  assert.deepEqual(filter('LIFT'), ['Lift 10', 'lift 9'])
  assert.deepEqual(filter(' lift  2 '), ['Lift 10'])
  assert.deepEqual(filter('boiler'), [])
  assert.deepEqual(filter('áttic'), ['Attic'])
  assert.deepEqual(filter('  '), names(rows))
})

test('rows are sorted in natural order, missing values last in either direction', () => {
  const sort = (id: string, descending: boolean) => names(sortedRows(rows, { id, descending }, value))
  assert.deepEqual(sort('name', false), ['Attic', 'lift 9', 'Lift 10'])
  assert.deepEqual(sort('name', true), ['Lift 10', 'lift 9', 'Attic'])
  assert.deepEqual(sort('floor', false), ['Lift 10', 'lift 9', 'Attic'])
  assert.deepEqual(sort('floor', true), ['lift 9', 'Lift 10', 'Attic'])
  assert.deepEqual(names(sortedRows(rows, undefined, value)), names(rows))
})
