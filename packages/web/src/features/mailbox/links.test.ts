import assert from 'node:assert/strict'
import { test } from 'vitest'
import { piecesOf } from './links.ts'

test('web addresses become links, the text around them does not', () => {
  assert.deepEqual(piecesOf('Choose one: https://a.test/x?y=1&z=2.\nBye'), [
    { text: 'Choose one: ' },
    { text: 'https://a.test/x?y=1&z=2', href: 'https://a.test/x?y=1&z=2' },
    { text: '.' },
    { text: '\nBye' },
  ])
})

test('nothing else becomes an address', () => {
  const text = 'javascript:alert(1) data:text/html,x ftp://a.test mailto:a@b.test'
  assert.deepEqual(piecesOf(text), [{ text }])
})
