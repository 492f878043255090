import assert from 'node:assert/strict'
import { test } from 'vitest'
import { optionsFound } from './options-found.ts'

test('options of a select are found by their words in any order, without regard to accents and apostrophes', () => {
  const options = [
    { group: 'Leeds', items: [{ value: '1', label: 'St Mary’s Café' }] },
    { value: '2', label: 'Level 10' },
    { value: '3', label: 'Alder House' },
  ]
  const found = (search: string) =>
    optionsFound({ options, search, limit: Infinity }).map((option) =>
      'group' in option ? option.items.map((item) => ('value' in item ? item.value : item)) : option.value,
    )
  assert.deepEqual(found('cafe marys'), [['1']])
  assert.deepEqual(found('1'), ['2'])
  assert.deepEqual(found('house ald'), ['3'])
  assert.deepEqual(found(''), [['1'], '2', '3'])
  assert.deepEqual(found('nothing'), [])
})
