import assert from 'node:assert/strict'
import { test } from 'vitest'
import { endsInImpossiblePostcode, normalPostcode, postcodeFault, postcodeOf, splitAddress } from './postcode.ts'

test('a postcode is recognised in any case and spacing', () => {
  for (const typed of ['HX1 5TX', 'hx15tx', ' Hx1  5tX ']) assert.equal(postcodeOf(typed)?.text, 'HX1 5TX', typed)
  for (const text of ['M1 1AE', 'B33 8TH', 'CR2 6XH', 'DN55 1PT', 'W1A 1HQ', 'EC1A 1BB', 'GIR 0AA'])
    assert.equal(postcodeOf(text)?.text, text)
})

test('invalid postcodes are rejected', () => {
  for (const typed of ['', 'HX1', '5TX', 'HX1 5ZZZ', 'HX1 TXX', 'HXX 5TX', '1HX 5TX', 'HX1 5TXHX1 5TX'])
    assert.equal(postcodeOf(typed), undefined, typed)
})

test('an address ends with its postcode, or has none', () => {
  for (const [line, address, postcode] of [
    ['1 Gibbet Street, Halifax HX1 5TX', '1 Gibbet Street, Halifax', 'HX1 5TX'],
    ['1 Gibbet Street, hx15tx ', '1 Gibbet Street', 'HX1 5TX'],
    ['ls1 4dy', '', 'LS1 4DY'],
    ['LS14DY', '', 'LS1 4DY'],
    [' Dundas Street, Edinburgh', 'Dundas Street, Edinburgh', ''],
    ['', '', ''],
  ] as const)
    assert.deepEqual(splitAddress(line), { address, postcode }, line)
})

test('a postcode has one normal form, and an impossible one is refused: Postcode must be valid [est-5-11] [est-5-12] [est-5-13] [est-5-14]', () => {
  for (const [typed, normal] of [
    ['LS21 3AB', 'LS21 3AB'],
    ['ls213ab', 'LS21 3AB'],
    ['GIR 0AA', 'GIR 0AA'],
    ['GIR0AA', 'GIR 0AA'],
    ['BF1 2AY', 'BF1 2AY'],
    ['BFPO 61', 'BFPO 61'],
    ['bfpo61', 'BFPO 61'],
    ['GY10 1PB', 'GY10 1PB'],
    ['je23xp', 'JE2 3XP'],
    ['IM1 1AA', 'IM1 1AA'],
    ['W1A 0AX', 'W1A 0AX'],
    ['EC1A1BB', 'EC1A 1BB'],
    ['BT1 1AA', 'BT1 1AA'],
    ['ASCN 1ZZ', 'ASCN 1ZZ'],
    ['L S21 3AB', 'LS21 3AB'],
    ['LS21  3AB', 'LS21 3AB'],
    ['LS21 3AC', 'LS21 3AC'],
  ] as const) {
    assert.equal(postcodeFault(typed), undefined, typed)
    assert.equal(normalPostcode(typed), normal, typed)
  }
  for (const typed of [
    '',
    'L1 1',
    'LS21-3AB',
    'LS21 3A',
    'O1A 1AA',
    '12345',
    'LS21 3AB.',
    'ABCDEF',
    'ZZ1 1AA',
    'GIR 1AA',
    'ASCN 2ZZ',
  ])
    assert.equal(postcodeFault(typed), 'Postcode must be valid', typed)
})

test('an address keeps no comma before its postcode', () => {
  assert.deepEqual(splitAddress('1 Gibbet Street,HX1 5TX'), { address: '1 Gibbet Street', postcode: 'HX1 5TX' })
})

test('an address that ends in an impossible postcode is distinguished from one with a valid postcode, or with none', () => {
  for (const line of [
    '1 Mill Row, QQ1 1AA',
    'QQ11AA',
    '1 Mill Row,ZZ99 9ZZ',
    'x hx1 5t1x 1aa x1 1aa',
    '1 Row, LS1Q 4DY',
  ])
    assert.ok(endsInImpossiblePostcode(line), line)
  for (const line of [
    '',
    '1 Mill Row',
    '1 Mill Row, HX1 5TX',
    'HX15TX',
    'Block A1',
    '12 Mill Row, Leeds 12',
    '1 Row, BFPO 61',
  ])
    assert.ok(!endsInImpossiblePostcode(line), line)
})
