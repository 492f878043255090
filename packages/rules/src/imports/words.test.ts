import assert from 'node:assert/strict'
import { test } from 'vitest'
import { wordsOf } from './columns.ts'

test('a property type is recognised in any case and without its hyphen, and an unknown word is asked about', () => {
  assert.deepEqual(wordsOf('propertyArchitype', { 'House Mid Terrace': 4, 'apartment mid-block': 2, Bungalow: 1 }), {
    words: { 'House Mid Terrace': 'House Mid-Terrace', 'apartment mid-block': 'Apartment Mid-Block', Bungalow: null },
    asks: true,
  })
})
