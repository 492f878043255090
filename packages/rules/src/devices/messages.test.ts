import assert from 'node:assert/strict'
import { test } from 'vitest'
import { rejectionTexts } from './messages.ts'

test('every reason has a text that ends the sentence, without a full stop', () => {
  for (const words of Object.values(rejectionTexts)) assert.match(words, /^[a-z].*[a-zJSON)]$/)
})
