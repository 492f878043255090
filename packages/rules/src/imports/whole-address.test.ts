import assert from 'node:assert/strict'
import { test } from 'vitest'
import { wholeAddressIn } from './whole-address.ts'

test('a postcode is found in a one-text address, and the rest is split at commas or lines', () => {
  const cases: [string, object | undefined][] = [
    ['4 Mill Lane, Halifax, HX1 5TX', { address1: '4 Mill Lane', town: 'Halifax', postcode: 'HX1 5TX' }],
    ['4 Mill Lane Halifax hx15tx', { address1: '4 Mill Lane Halifax', postcode: 'HX1 5TX' }],
    [
      'Flat 2, 4 Mill Lane\nHalifax\nHX1 5TX',
      { address1: 'Flat 2', address2: '4 Mill Lane', town: 'Halifax', postcode: 'HX1 5TX' },
    ],
    [
      'Flat 2, Mill House, 4 Mill Lane, Halifax, West Yorkshire, HX1 5TX',
      {
        ...{ address1: 'Flat 2', address2: 'Mill House', address3: '4 Mill Lane' },
        ...{ town: 'Halifax', county: 'West Yorkshire', postcode: 'HX1 5TX' },
      },
    ],
    ['1 Strand, SW1A 1AA, London', { address1: '1 Strand', town: 'London', postcode: 'SW1A 1AA' }],
    ['4 Mill Lane, Halifax', undefined],
    ['HX1 5TX', undefined],
    ['4 Mill Lane, HX1', undefined],
  ]
  for (const [text, parts] of cases) assert.deepEqual(wholeAddressIn(text), parts, text)
})
