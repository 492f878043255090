import assert from 'node:assert/strict'
import { test } from 'vitest'
import { addressFault } from './address.ts'

const address = (sign: string, length: number) => ({
  ...{ address1: sign.repeat(100), address2: sign.repeat(100), address3: sign.repeat(100) },
  ...{ town: sign.repeat(60), county: sign.repeat(length - 360) },
})

test('an address is limited by bytes: Latin letters always fit, rare ideographs do not', () => {
  for (const [sign, length, fits] of [
    ['a', 420, true],
    ['É', 420, true],
    ['中', 420, true],
    // Two bytes, and three in lower case.
    ['Ⱥ', 420, true],
    ['\u{20001}', 420, false],
    ['\u{20001}', 360, false],
  ] as const)
    assert.equal(addressFault(address(sign, length)) === undefined, fits, `${sign} ${length}`)
  assert.equal(addressFault({ address1: '\u{20001}'.repeat(100), town: '\u{20001}'.repeat(60) }), undefined)
  assert.equal(addressFault({}), undefined)
})
