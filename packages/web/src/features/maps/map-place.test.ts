import assert from 'node:assert/strict'
import { test } from 'vitest'
import { atText, validMapSearch, viewIn } from './map-place.ts'

test('an address states what a map shows, and unknown values are ignored', () => {
  const place = { building: 'b1', floor: 2, deviceId: 'd1', by: 'connection', land: 'satellite', at: '53.8,-1.5,19' }
  assert.deepEqual(validMapSearch(place), place)
  assert.deepEqual(validMapSearch({ ...place, floor: '2' }), place)
  assert.deepEqual(validMapSearch({}), {})
  assert.deepEqual(validMapSearch({ building: 7, floor: 1, deviceId: {}, by: 'colour', land: 'sea', at: '91,0,3' }), {})
  for (const wrong of ['', 'here', '1,2', '1,2,3,4', '0,181,3', '0,0,22', '0,0,-1'])
    assert.equal(viewIn(wrong), undefined)
  assert.deepEqual(viewIn(atText({ lat: 53.8, lng: -1.5, zoom: 19 })), { lat: 53.8, lng: -1.5, zoom: 19 })
})
