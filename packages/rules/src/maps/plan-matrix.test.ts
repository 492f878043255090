import assert from 'node:assert/strict'
import { test } from 'vitest'
import fc from 'fast-check'
import type { Plan } from '../buildings/geometry.ts'
import { cornersOf, placeOf } from '../buildings/geometry.ts'
import { pixelOf, pixelsOfMetre } from './mercator.ts'
import { planMatrix } from './plan-matrix.ts'

const numbers = (min: number, max: number) => fc.double({ min, max, noNaN: true, noDefaultInfinity: true })
const plans = fc.record<Plan>({
  ...{ lat: numbers(-70, 70), lng: numbers(-180, 179.999999) },
  ...{ width: numbers(1, 200), height: numbers(1, 200), rotation: numbers(0, 359.999) },
})
const shares = fc.record({ x: numbers(0, 1), y: numbers(0, 1) })
const size = { width: 1060, height: 900 }
const side = 1000

test('each point of a plan picture is drawn where a pin at that position is, at any rotation', () => {
  fc.assert(
    fc.property(plans, shares, numbers(15, 21), shares, (plan, share, zoom, aside) => {
      // The centre of the map is near the plan.
      const view = { lat: plan.lat + (aside.y - 0.5) / 2000, lng: plan.lng + (aside.x - 0.5) / 2000, zoom }
      const [a, b, c, d, e, f] = planMatrix(
        cornersOf(plan).map((corner) => pixelOf(view, size, corner)),
        side,
      )
      const drawn = { x: a * share.x * side + c * share.y * side + e, y: b * share.x * side + d * share.y * side + f }
      const spot = { right: (share.x - 0.5) * plan.width, down: (share.y - 0.5) * plan.height }
      const pin = pixelOf(view, size, placeOf(plan, spot))
      const metres = Math.hypot(pin.x - drawn.x, pin.y - drawn.y) / pixelsOfMetre({ lat: plan.lat, zoom })
      // Two centimetres at the far end of 200 m, because the scale grows with latitude.
      assert.ok(metres < 0.02, `${metres} m apart`)
    }),
  )
})
