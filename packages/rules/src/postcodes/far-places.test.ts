import assert from 'node:assert/strict'
import { test } from 'vitest'
import { farPlace } from './far-places.ts'

const leeds = { lat: 53.8, lng: -1.55 }

test('a place is far from its postcode if degrees are exchanged, lost their sign, or are zero', () => {
  assert.deepEqual(farPlace({ lat: -1.55, lng: 53.8 }, leeds)?.isExchanged, true)
  assert.equal(farPlace({ lat: 0, lng: 0 }, leeds)?.isExchanged, false)
  assert.ok(farPlace({ lat: 0, lng: 0 }, leeds)!.km > 5000)
  assert.equal(farPlace({ lat: 53.8, lng: 1.55 }, leeds)?.km, 204)
})

test('a place in the largest district, or a moved marker in town, is not far', () => {
  for (const place of [leeds, { lat: 53.83, lng: -1.6 }, { lat: 54.3, lng: -1.55 }])
    assert.equal(farPlace(place, leeds), undefined)
})
