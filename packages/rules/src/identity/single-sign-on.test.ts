import assert from 'node:assert/strict'
import { test } from 'vitest'
import { afterRecordCheck, domainFault, domainOf, groupsIn, hasSecondFactor, recordEndsAt } from './single-sign-on.ts'

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

const hours = (count: number) => new Date(Date.UTC(2026, 10, 1) + count * 3_600_000)

test('a verified domain is checked daily, and is over a week after its record was first missing', () => {
  const found = { missingSince: null, nextCheckAt: hours(24), isOver: false }
  assert.deepEqual(afterRecordCheck(null, null, hours(0)), found)
  assert.deepEqual(afterRecordCheck(null, 'no record', hours(0)), { ...found, missingSince: hours(0) })
  for (const fault of ['no record', 'no domain'] as const)
    assert.deepEqual(
      afterRecordCheck(hours(0), fault, hours(160)),
      { missingSince: hours(0), nextCheckAt: hours(168), isOver: false },
      'the last check is at the end of the week',
    )
  assert.deepEqual(recordEndsAt(hours(0)), hours(168))
  assert.equal(afterRecordCheck(hours(0), 'no record', hours(168)).isOver, true)
  assert.deepEqual(afterRecordCheck(hours(0), null, hours(168)), { ...found, nextCheckAt: hours(192) })
})

test('name servers that do not respond neither end a domain nor count as a found record', () => {
  for (const missingSince of [null, hours(0)])
    assert.deepEqual(afterRecordCheck(missingSince, 'no answer', hours(500)), {
      ...{ missingSince, nextCheckAt: hours(501), isOver: false },
    })
})
