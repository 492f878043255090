import assert from 'node:assert/strict'
import { test } from 'vitest'
import { isMatch, markedParts, typedIn } from './entries.ts'

test('a leading > leaves commands only', () => {
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

test('matches are marked as they are written, whatever letters a pattern would read otherwise', () => {
  assert.deepEqual(markedParts('Kestrel Court', 'court'), [
    { part: 'Kestrel ', marked: false },
    { part: 'Court', marked: true },
  ])
  assert.deepEqual(markedParts('A (b)', '(B'), [
    { part: 'A ', marked: false },
    { part: '(b', marked: true },
    { part: ')', marked: false },
  ])
  assert.deepEqual(markedParts('Kestrel', ''), [{ part: 'Kestrel', marked: false }])
  assert.deepEqual(markedParts('Floors', 'flo floor'), [
    { part: 'Floor', marked: true },
    { part: 's', marked: false },
  ])
})
