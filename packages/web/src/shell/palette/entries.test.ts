import assert from 'node:assert/strict'
import { test } from 'vitest'
import { isMatch, typedIn } from './entries.ts'

test('a leading > shows commands only', () => {
  assert.deepEqual(typedIn('  kestrel court '), { text: 'kestrel court', commandsOnly: false })
  assert.deepEqual(typedIn('> dark'), { text: 'dark', commandsOnly: true })
  assert.deepEqual(typedIn('>'), { text: '', commandsOnly: true })
  assert.deepEqual(typedIn('a > b'), { text: 'a > b', commandsOnly: false })
})

test('every word must be found, in any order and letter case', () => {
  assert.ok(isMatch('court KES', 'Kestrel Court', undefined))
  assert.ok(isMatch('', 'anything'))
  assert.ok(!isMatch('kestrel wharf', 'Kestrel Court'))
})
