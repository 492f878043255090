import assert from 'node:assert/strict'
import { test } from 'vitest'
import { wordsOf } from './columns.ts'

test('a kind of home is known in small letters and without its hyphen, a word of nobody is asked for', () => {
  assert.deepEqual(wordsOf('propertyArchitype', { 'House Mid Terrace': 4, 'apartment mid-block': 2, Bungalow: 1 }), {
    words: { 'House Mid Terrace': 'House Mid-Terrace', 'apartment mid-block': 'Apartment Mid-Block', Bungalow: null },
    asks: true,
  })
})
