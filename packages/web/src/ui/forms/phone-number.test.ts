import assert from 'node:assert/strict'
import { test } from 'vitest'
import type { DialCode } from './phone-number.ts'
import { splitPhone, typedDigits } from './phone-number.ts'
import { dialCodes, isPhoneNumber, phoneNumberOf } from './phone-library.ts'

const list: DialCode[] = [
  { country: 'JE', name: 'Jersey', code: '44', priority: 3 },
  { country: 'GB', name: 'United Kingdom', code: '44', priority: 0 },
  { country: 'US', name: 'United States', code: '1', priority: 0 },
  { country: 'BB', name: 'Barbados', code: '1246', priority: 0 },
]

test('a number is split by the longest dial code that it begins with [core-3-63]', () => {
  assert.deepEqual(splitPhone('+1 246 555 0100', list), { dial: list[3], rest: '5550100' })
  assert.deepEqual(splitPhone('+12125550100', list), { dial: list[2], rest: '2125550100' })
})

test('countries that share a code are distinguished by priority [core-3-64]', () => {
  assert.equal(splitPhone('+447911123456', list)?.dial.country, 'GB')
  assert.equal(splitPhone('+447911123456', [...list].reverse())?.dial.country, 'GB')
})

test('a number without a dial code of the list is not split and not valid [core-5-11]', () => {
  assert.equal(splitPhone('+999123', list), undefined)
  assert.equal(splitPhone('07911123456', list), undefined)
  assert.ok(!isPhoneNumber('+999123456789'))
})

test('a number has at most twelve digits and nothing else', () => {
  assert.equal(typedDigits('07911 abc-123456'), '07911123456')
  assert.equal(typedDigits('1234567890123'), '123456789012')
})

test('the list has every country once, main ones first among those that share a code', () => {
  const all = dialCodes()
  assert.ok(all.length > 200)
  assert.equal(new Set(all.map(({ country }) => country)).size, all.length)
  const first = (number: string) => splitPhone(number, all)?.dial.country
  assert.deepEqual(['+441632960100', '+12125550100', '+74951234567', '+390612345678'].map(first), [
    'GB',
    'US',
    'RU',
    'IT',
  ])
  assert.equal(all.find(({ country }) => country === 'GB')?.name, 'United Kingdom')
})

test('numbers are valid by the rules of their country, and written in full [core-5-17]', () => {
  assert.ok(isPhoneNumber('+447911123456'))
  assert.ok(!isPhoneNumber('+44791112345'))
  assert.ok(!isPhoneNumber('hello'))
  assert.equal(phoneNumberOf('07911123456', 'GB'), '+447911123456')
  assert.equal(phoneNumberOf('0612345678', 'IT'), '+390612345678')
  assert.equal(phoneNumberOf('12', 'GB'), '+4412')
  assert.equal(phoneNumberOf('', 'GB'), '')
})
