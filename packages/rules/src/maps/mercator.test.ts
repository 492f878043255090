import assert from 'node:assert/strict'
import { test } from 'vitest'
import fc from 'fast-check'
import {
  frameAround,
  frameOf,
  inWorld,
  isIn,
  ofWorld,
  pixelOf,
  pixelsOfMetre,
  placeAt,
  tileSize,
  viewOf,
  wrapped,
} from './mercator.ts'

const size = { width: 800, height: 600 }
const number = (min: number, max: number) => fc.double({ min, max, noNaN: true })
const places = fc.record({ lat: number(-80, 80), lng: number(-180, 179.999) })
const views = fc.record({ lat: number(-80, 80), lng: number(-180, 179.999), zoom: number(4, 21) })
const near = (a: number, b: number, by: number) => assert.ok(Math.abs(a - b) <= by, `${a} is not ${b}`)

test('the world is as wide as one tile at zoom 0', () => {
  const world = { width: tileSize, height: tileSize }
  const view = { lat: 0, lng: 0, zoom: 0 }
  const { x, y } = pixelOf(view, world, { lat: 85.051129, lng: -180 })
  near(x, 0, 1e-3)
  near(y, 0, 1e-3)
})

test('a place, its point in the world and its pixel convert to each other', () => {
  fc.assert(
    fc.property(places, views, number(0, 800), number(0, 600), (place, view, x, y) => {
      const back = ofWorld(inWorld(place))
      near(back.lat, place.lat, 1e-9)
      near(back.lng, place.lng, 1e-9)
      const again = pixelOf(view, size, placeAt(view, size, { x, y }))
      near(again.x, x, 1e-3)
      near(again.y, y, 1e-3)
    }),
  )
})

test('the centre is in the frame on both sides of the date line, and places in the frame are on the map', () => {
  fc.assert(
    fc.property(views, places, (view, place) => {
      const frame = frameOf(view, size)
      assert.ok(isIn(frame, view))
      const { x, y } = pixelOf(view, size, place)
      const seen = x >= 1 && x <= size.width - 1 && y >= 1 && y <= size.height - 1
      if (seen) assert.ok(isIn(frame, place))
    }),
  )
  assert.deepEqual(
    [frameOf({ lat: 0, lng: 180, zoom: 8 }, size)].map(({ west, east }) => west > east),
    [true],
  )
})

test('a view of the frame around places shows them all', () => {
  fc.assert(
    fc.property(fc.array(places, { minLength: 1, maxLength: 8 }), (all) => {
      const frame = frameAround(all)!
      const view = viewOf(frame, size, { margin: 0 })
      for (const place of all) {
        assert.ok(isIn(frame, { ...place, lng: wrapped(place.lng) }))
        if (view.zoom <= 0) continue
        const { x, y } = pixelOf(view, size, place)
        assert.ok(x > -1 && x < size.width + 1 && y > -1 && y < size.height + 1, `${x}, ${y}`)
      }
    }),
  )
  assert.equal(frameAround([]), undefined)
  const one = frameAround([{ lat: 53, lng: -1 }])!
  assert.equal(viewOf(one, size).zoom, 20)
})

test('a metre takes twice the pixels with each zoom, and at 60° north twice those of the equator', () => {
  near(pixelsOfMetre({ lat: 60, zoom: 10 }), 2 * pixelsOfMetre({ lat: 0, zoom: 10 }), 1e-9)
  near(pixelsOfMetre({ lat: 0, zoom: 11 }), 2 * pixelsOfMetre({ lat: 0, zoom: 10 }), 1e-9)
})
