import assert from 'node:assert/strict'
import { test } from 'vitest'
import { postcodeOf, splitAddress } from './postcode.ts'

test('a post code is one in whatever letters and spaces it was typed', () => {
  for (const typed of ['HX1 5TX', 'hx15tx', ' Hx1  5tX ']) assert.equal(postcodeOf(typed)?.text, 'HX1 5TX', typed)
  for (const text of ['M1 1AE', 'B33 8TH', 'CR2 6XH', 'DN55 1PT', 'W1A 1HQ', 'EC1A 1BB', 'GIR 0AA'])
    assert.equal(postcodeOf(text)?.text, text)
})

test('what cannot be one is none', () => {
  for (const typed of ['', 'HX1', '5TX', 'HX1 5ZZZ', 'HX1 TXX', 'HXX 5TX', '1HX 5TX', 'HX1 5TXHX1 5TX', 'HX1 5CX'])
    assert.equal(postcodeOf(typed), undefined, typed)
})

test('an address ends with its post code, or has none', () => {
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
