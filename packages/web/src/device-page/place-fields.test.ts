import assert from 'node:assert/strict'
import { test } from 'vitest'
import { coordinatesFault, coordinatesIn, coordinatesText } from './place-fields.ts'

test('coordinates are two numbers within their range, or none', () => {
  assert.deepEqual(coordinatesIn('53.7236, -1.8772'), { latitude: 53.7236, longitude: -1.8772 })
  assert.deepEqual(coordinatesIn(' -90,180 '), { latitude: -90, longitude: 180 })
  assert.equal(coordinatesIn('  '), null)
  for (const text of ['53.8', '53.8,', ',', 'north, east', '91, 0', '0, 181', '1, 2, 3', 'Infinity, 0']) {
    assert.equal(coordinatesIn(text), undefined, text)
    assert.ok(coordinatesFault(text), text)
  }
  for (const text of ['', '0, 0', '53.8,-1.5']) assert.equal(coordinatesFault(text), undefined, text)
})

test('typed and stored coordinates have the same format', () => {
  assert.equal(coordinatesText(53.8, -1.5), '53.8, -1.5')
  assert.equal(coordinatesText(null, null), '')
  assert.deepEqual(coordinatesIn(coordinatesText(0, 0)), { latitude: 0, longitude: 0 })
})
