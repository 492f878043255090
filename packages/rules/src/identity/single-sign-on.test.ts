import assert from 'node:assert/strict'
import { test } from 'vitest'
import { domainFault, domainOf, groupsIn, hasSecondFactor } from './single-sign-on.ts'

test('the domain of an address is the part after the last @, in lower case', () => {
  assert.equal(domainOf('Ann@North.Example'), 'north.example')
  assert.equal(domainOf('"a@b"@north.example'), 'north.example')
  for (const wrong of ['', 'ann', '@north.example']) assert.equal(domainOf(wrong), '', wrong)
})

test('a client uses its own domains, and neither public mail domains nor that of the operator', () => {
  for (const right of ['north.example', 'mail.north-homes.co.uk', 'xn--mnchen-3ya.de'])
    assert.equal(domainFault(right, 'caretaker.example'), undefined, right)
  for (const wrong of ['', 'north', 'north.', '.example', 'North.example', '-a.example', 'a@b.example', '127.0.0.1'])
    assert.match(domainFault(wrong, 'caretaker.example') ?? '', /must be a domain/, wrong)
  for (const anyones of ['gmail.com', 'outlook.com', 'btinternet.com'])
    assert.match(domainFault(anyones, 'caretaker.example') ?? '', /your own domain/)
  assert.match(domainFault('caretaker.example', 'Caretaker.example') ?? '', /operator/)
})

test('groups are an array of texts or one text; anything else is none', () => {
  assert.deepEqual(groupsIn(['a', 7, 'b']), ['a', 'b'])
  assert.deepEqual(groupsIn('a'), ['a'])
  for (const none of [undefined, null, 7, { a: 'b' }]) assert.deepEqual(groupsIn(none), [])
})

test('only mfa in amr counts as a second factor', () => {
  assert.equal(hasSecondFactor(['pwd', 'mfa']), true)
  for (const none of [undefined, 'mfa', ['otp'], {}]) assert.equal(hasSecondFactor(none), false)
})
