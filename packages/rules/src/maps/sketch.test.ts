import assert from 'node:assert/strict'
import { test } from 'node:test'
import { offsetTo } from '../buildings/geometry.ts'
import { sketchAround } from './sketch.ts'

const place = { lat: 53.72, lng: -1.86 }

test('a sketch is the same each time, has streets and houses, and leaves room for every building', () => {
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
