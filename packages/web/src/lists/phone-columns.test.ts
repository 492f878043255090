import assert from 'node:assert/strict'
import { test } from 'vitest'
import { phoneColumns } from './phone-columns.ts'

const by = (...ids: string[]) => ids.map((fieldId) => ({ fieldId }))
const usual = ['name', 'address', 'status', 'damp']
const always = ['name', 'address', 'status']

test.each([
  ['of a list as it is, nothing more', { columns: usual, filters: [], sorts: [] }, []],
  [
    'columns of its own come first',
    { columns: [...usual, 'dampSince'], filters: by('damp'), sorts: [] },
    ['dampSince', 'damp'],
  ],
  [
    'then orders, then filters',
    { columns: usual, filters: by('tags'), sorts: by('devices', 'name') },
    ['devices', 'tags'],
  ],
  ['each once', { columns: [...usual, 'tags'], filters: by('tags'), sorts: by('tags') }, ['tags']],
  ['three at most', { columns: [...usual, 'a', 'b', 'c', 'd'], filters: by('e'), sorts: [] }, ['a', 'b', 'c']],
])('%s', (_name, shown, ids) => {
  assert.deepEqual(phoneColumns(shown, usual, always), ids)
})
