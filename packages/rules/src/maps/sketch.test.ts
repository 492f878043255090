import assert from 'node:assert/strict'
import { test } from 'vitest'
import { offsetTo } from '../buildings/geometry.ts'
import { countryAround, sketchAround } from './sketch.ts'

const place = { lat: 53.72, lng: -1.86 }

test('a sketch is deterministic, has streets and houses, and leaves room for every building', () => {
  const near = { lat: 53.7209, lng: -1.8605 }
  const sketch = sketchAround([place, near])
  assert.deepEqual(sketch, sketchAround([place, near]))
  const kinds = Map.groupBy(sketch.features, ({ properties }) => properties.kind)
  assert.ok(kinds.get('street')!.length >= 5)
  assert.ok(kinds.get('house')!.length >= 30)
  for (const { geometry } of kinds.get('house')!)
    for (const [lng, lat] of geometry.coordinates.flat() as [number, number][])
      for (const building of [place, near]) {
        const { east, north } = offsetTo(building, { lat, lng })
        assert.ok(Math.hypot(east, north) > 25)
      }
  assert.notDeepEqual(sketchAround([near]), sketchAround([place]))
  assert.deepEqual(sketchAround([]).features, [])
})

test('a country has a town around buildings close to each other, and roads between all towns', () => {
  const leeds = { lat: 53.8, lng: -1.55, town: 'Leeds' }
  const places = [place, { lat: 53.73, lng: -1.87 }, leeds, { lat: 53.65, lng: -1.78 }]
  const country = countryAround(places)
  assert.deepEqual(country, countryAround(places))
  const kinds = Map.groupBy(country.features, ({ properties }) => properties.kind)
  assert.equal(kinds.get('town')!.length, 3)
  assert.equal(kinds.get('road')!.length, 2)
  assert.deepEqual(
    kinds.get('name')!.map(({ properties }) => properties.name),
    ['Leeds'],
  )
  // No road crosses the sea.
  assert.equal(
    countryAround([leeds, { lat: 57, lng: -5 }]).features.filter(({ properties }) => properties.kind === 'road').length,
    0,
  )
  assert.deepEqual(countryAround([]).features, [])
})
