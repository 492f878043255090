import assert from 'node:assert/strict'
import { test } from 'vitest'
import { weaknessOf } from './password-strength.ts'

const owner = { email: 'priya.nair@north.test', name: 'Priya Nair' }
const short = /at least 10 characters/
const own = /Your name, your e-mail/
const many = /Many people/
const guessed = /easy to guess/

const weak: [string, RegExp][] = [
  ['short', short],
  ['          ', short],
  ['   short      ', short],
  ['priya.nair@north.test', own],
  ['Priya.Nair@North.Test!', own],
  ['priyanair12', own],
  ['Priya2026!!', own],
  ['caretaker2026', own],
  // Rank about 190, 25,000 and 90,000 among passwords of ten or more characters.
  ['password12', many],
  ['Password12', many],
  ['aaaaaaaaaa', many],
  ['1234567890', many],
  ['liverpool123', many],
  ['qwertyuiop', many],
  ['zaqwsxcderfv', many],
  ['aaaaaaaaaaaaaaaaaaaaaaaaaaaa', guessed],
  ['abcabcabcabcabcabcabc', guessed],
  ['Summer2026!', guessed],
  ['northgate2026', guessed],
  ['understanding', guessed],
  ['ab12cd34ef', guessed],
]
for (const [password, reason] of weak)
  test(`“${password}” is refused with the reason and what to do`, async () => {
    assert.match((await weaknessOf(password, owner)) ?? 'taken', reason)
  })

for (const password of [
  'priya likes green tea',
  'correct horse battery',
  'a long password',
  'xk3!pq9zLm7w',
  'vier Tassen im Schrank',
  ' three odd spoons ',
])
  test(`“${password}” is accepted`, async () => {
    assert.equal(await weaknessOf(password, owner), undefined)
  })
