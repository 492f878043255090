import assert from 'node:assert/strict'
import { test } from 'vitest'
import fc from 'fast-check'
import { planSize } from './building.ts'
import type { Handle, Plan } from './geometry.ts'
import {
  besideOn,
  contains,
  cornersOf,
  distance,
  fittedSides,
  isOtherShape,
  earthRadius,
  furthestLatitude,
  gridOn,
  matched,
  moved,
  movedWords,
  offsetTo,
  placeOf,
  resized,
  sidesOfDrawing,
  signedTurn,
  spotOf,
  placeAfterMove,
  turnedTo,
} from './geometry.ts'

const numbers = (min: number, max: number) => fc.double({ min, max, noNaN: true, noDefaultInfinity: true })
/** Inhabited latitudes, including the date line. */
const plans = fc.record<Plan>({
  lat: numbers(-75, 75),
  lng: fc.oneof(numbers(-180, 179.999999), numbers(179.9999, 179.999999), numbers(-180, -179.9999)),
  width: numbers(planSize.least, planSize.most),
  height: numbers(planSize.least, planSize.most),
  rotation: numbers(0, 359.999),
})
const offsets = fc.record({ east: numbers(-500, 500), north: numbers(-500, 500) })
const steps = fc.record({ east: numbers(-1, 1), north: numbers(-1, 1) })
const handles = fc.constantFrom<Handle>(
  ...([-1, 0, 1] as const).flatMap((right) =>
    ([-1, 0, 1] as const).flatMap((down) => (right === 0 && down === 0 ? [] : [{ right, down }])),
  ),
)
const near = (one: number, other: number, slack = 1e-4) =>
  assert.ok(Math.abs(one - other) <= slack, `${one} is not ${other}`)

/** Metres according to the great-circle formula, without a flat approximation. */
function haversine(one: { lat: number; lng: number }, other: { lat: number; lng: number }): number {
  const rad = (degrees: number) => (degrees * Math.PI) / 180
  const half =
    Math.sin(rad(other.lat - one.lat) / 2) ** 2 +
    Math.cos(rad(one.lat)) * Math.cos(rad(other.lat)) * Math.sin(rad(other.lng - one.lng) / 2) ** 2
  return 2 * earthRadius * Math.asin(Math.sqrt(half))
}

test('a plan moved by metres has all corners moved by the same, at any rotation, at 60° north and across the date line', () => {
  const check = (plan: Plan, by: { east: number; north: number }) => {
    const after = moved(plan, by)
    const corners = cornersOf(plan)
    for (const [index, corner] of cornersOf(after).entries()) {
      const { east, north } = offsetTo(corners[index]!, corner)
      // Away from the equator the same metres are more degrees: within a kilometre, a difference of a millimetre.
      near(east, by.east, 1e-3)
      near(north, by.north, 1e-6)
      assert.ok(corner.lng >= -180 && corner.lng < 180)
    }
  }
  fc.assert(fc.property(plans, steps, check))
  for (const lng of [-1.877198, 179.99999, -180, -179.99999])
    for (const rotation of [0, 13, 90, 200.5, 347])
      for (const by of [
        { east: 1, north: 0 },
        { east: 0, north: 1 },
        { east: -1, north: 0 },
      ]) {
        const plan = { lat: 60, lng, width: 46.8, height: 21.4, rotation }
        const corners = cornersOf(plan)
        for (const [index, corner] of cornersOf(moved(plan, by)).entries())
          near(haversine(corners[index]!, corner), 1, 1e-4)
      }
})

test('the sides and the diagonal of a plan have their lengths on the earth at any rotation', () => {
  const small = plans.map((plan) => ({ ...plan, width: Math.min(plan.width, 200), height: Math.min(plan.height, 200) }))
  fc.assert(
    fc.property(small, (plan) => {
      const [a, b, c, d] = cornersOf(plan)
      near(haversine(a, b), plan.width, 0.03)
      near(haversine(b, c), plan.height, 0.03)
      near(haversine(c, d), plan.width, 0.03)
      near(haversine(a, c), Math.hypot(plan.width, plan.height), 0.03)
    }),
  )
})

test('degrees are clockwise: rotated by 90° the upper left corner is at the upper right', () => {
  const plan = { lat: 53.7, lng: -1.9, width: 40, height: 40, rotation: 0 }
  const [, upperRight] = cornersOf(plan)
  const [turned] = cornersOf({ ...plan, rotation: 90 })
  near(turned.lat, upperRight.lat, 1e-9)
  near(turned.lng, upperRight.lng, 1e-9)
  const { east, north } = offsetTo(plan, placeOf({ ...plan, rotation: 90 }, { right: 0, down: -10 }))
  near(east, 10)
  near(north, 0)
})

test('a point of a plan converts to a place on the earth and back', () => {
  fc.assert(
    fc.property(plans, offsets, (plan, by) => {
      const spot = { right: by.east, down: by.north }
      const again = spotOf(plan, placeOf(plan, spot))
      near(again.right, spot.right)
      near(again.down, spot.down)
      const place = moved({ lat: plan.lat, lng: plan.lng }, by)
      near(distance(placeOf(plan, spotOf(plan, place)), place), 0)
    }),
  )
})

test('the area of a plan moves and rotates with it', () => {
  fc.assert(
    fc.property(plans, numbers(-1, 1), numbers(-1, 1), (plan, right, down) => {
      const at = (scale: number) =>
        placeOf(plan, { right: (right * scale * plan.width) / 2, down: (down * scale * plan.height) / 2 })
      assert.ok(contains(plan, at(1)))
      const outside = Math.max(Math.abs(right), Math.abs(down))
      if (outside > 0.1) assert.ok(!contains(plan, at(1.01 / outside)))
    }),
  )
})

test('a dragged handle follows the pointer, the opposite side stays, and sides keep their limits', () => {
  fc.assert(
    fc.property(plans, handles, offsets, (plan, handle, by) => {
      const to = moved({ lat: plan.lat, lng: plan.lng }, by)
      const after = resized(plan, handle, to)
      for (const side of [after.width, after.height]) assert.ok(side >= planSize.least && side <= planSize.most)
      const across = { right: (-handle.right * plan.width) / 2, down: (-handle.down * plan.height) / 2 }
      const stayed = { right: (-handle.right * after.width) / 2, down: (-handle.down * after.height) / 2 }
      const was = placeOf(plan, across)
      // The two are calculated from different centres, where degrees have slightly different lengths.
      near(distance(placeOf(after, stayed), was), 0, 0.5)
      const spot = spotOf(plan, to)
      const wanted = handle.right * spot.right + plan.width / 2
      if (handle.right !== 0 && wanted > planSize.least && wanted < planSize.most) near(after.width, wanted)
      if (handle.right === 0) assert.equal(after.width, plan.width)
      assert.equal(after.rotation, plan.rotation)
    }),
  )
})

test('a turned plan faces the place, and turning does not move it', () => {
  fc.assert(
    fc.property(plans, offsets, (plan, by) => {
      fc.pre(Math.hypot(by.east, by.north) > 0.01)
      const to = moved({ lat: plan.lat, lng: plan.lng }, by)
      const after = turnedTo(plan, to)
      assert.ok(after.rotation >= 0 && after.rotation < 360)
      const spot = spotOf(after, to)
      near(spot.right, 0, 1e-3)
      assert.ok(spot.down < 0)
      assert.deepEqual({ ...after, rotation: 0 }, { ...plan, rotation: 0 })
    }),
  )
  const plan = { lat: 1, lng: 1, width: 1, height: 1, rotation: 7 }
  assert.deepEqual(turnedTo(plan, plan), plan)
})

test('nothing can be moved beyond the map', () => {
  const plan = { lat: 85, lng: 0, width: 10, height: 10, rotation: 0 }
  assert.equal(moved(plan, { east: 0, north: 1e7 }).lat, furthestLatitude)
})

test('a matched plan takes the outline of the other one and keeps its identity', () => {
  const other = { lat: 53, lng: -2, width: 20, height: 10, rotation: 347, name: 'other' }
  const plan = { lat: 0, lng: 0, width: 30, height: 30, rotation: 0, name: 'mine' }
  assert.deepEqual(matched(plan, other), { ...other, name: 'mine' })
})

test('any number of objects get distinct places on a plan', () => {
  fc.assert(
    fc.property(plans, fc.integer({ min: 0, max: 200 }), (plan, count) => {
      const places = gridOn(plan, count)
      assert.equal(places.length, count)
      assert.ok(places.every((place) => contains(plan, place)))
      const spots = places.map((place) => spotOf(plan, place))
      assert.equal(new Set(spots.map(({ right, down }) => `${right.toFixed(4)} ${down.toFixed(4)}`)).size, count)
    }),
    { numRuns: 50 },
  )
})

test('objects keep their position on the drawing when a plan is moved, turned and resized', () => {
  const check = (before: Plan, after: Plan, share: { right: number; down: number }) => {
    const on = (plan: Plan) => placeOf(plan, { right: share.right * plan.width, down: share.down * plan.height })
    near(distance(placeAfterMove(before, after, on(before)), on(after)), 0, 0.01)
  }
  const shares = fc.record({ right: numbers(-0.5, 0.5), down: numbers(-0.5, 0.5) })
  fc.assert(fc.property(plans, plans, shares, check))
})

test('objects are placed side by side from the drop point, all on the plan, and fill it if there is no room', () => {
  const plan: Plan = { lat: 53.7, lng: -1.9, width: 20, height: 10, rotation: 40 }
  const spots = (from: { right: number; down: number }, count: number, apart = 2) =>
    besideOn(plan, placeOf(plan, from), count, apart).map((place) => {
      const { right, down } = spotOf(plan, place)
      return [Math.round(right * 100) / 100 || 0, Math.round(down * 100) / 100 || 0]
    })
  assert.deepEqual(spots({ right: 1, down: 2 }, 1), [[1, 2]])
  assert.deepEqual(spots({ right: 4, down: 0 }, 3), [
    [4, 0],
    [6, 0],
    [8, 0],
  ])
  // A new row starts at the right edge; in the lower right corner the objects move back as far as needed.
  assert.deepEqual(spots({ right: 7, down: 0 }, 3), [
    [7, 0],
    [9, 0],
    [7, 2],
  ])
  assert.deepEqual(spots({ right: 10, down: 5 }, 7), [
    [7, -2],
    [9, -2],
    [7, 0],
    [9, 0],
    [7, 2],
    [9, 2],
    [7, 4],
  ])
  // Outside the plan there are no limits.
  assert.deepEqual(spots({ right: 15, down: 0 }, 3), [
    [15, 0],
    [17, 0],
    [15, 2],
  ])
  assert.deepEqual(besideOn(plan, plan, 100, 2), gridOn(plan, 100))
})

test('a rotation is shown from -180 to 180 degrees', () => {
  for (const [turn, read] of [
    [0, 0],
    [13, 13],
    [180, 180],
    [181, -179],
    [347, -13],
    [-13, -13],
    [360, 0],
  ] as const)
    assert.equal(signedTurn(turn), read)
})

test('movements, turns and size changes of a plan are described, and nothing if unchanged', () => {
  const plan = { lat: 53.7, lng: -1.9, width: 46.8, height: 21.4, rotation: 1 }
  const words = (by: Partial<Plan>) => movedWords(plan, { ...plan, ...by })
  assert.equal(words({}), '')
  assert.equal(words({ ...moved(plan, { east: 2.4, north: 0 }), rotation: 359.5 }), 'Moved 2.4 m east and turned −1.5°')
  assert.equal(words(moved(plan, { east: -1, north: -3 })), 'Moved 3 m south, 1 m west')
  assert.equal(words({ width: 50 }), 'Made 50 × 21.4 m')
  assert.equal(words({ rotation: 1.04 }), '')
})

test('a new plan has the shape of its drawing, with the longer side of a new floor', () => {
  for (const [drawing, sides] of [
    [
      { width: 400, height: 200 },
      { width: 30, height: 15 },
    ],
    [
      { width: 2.1, height: 2.97 },
      { width: 21.21, height: 30 },
    ],
    [
      { width: 9, height: 9 },
      { width: 30, height: 30 },
    ],
    // A line is not a valid floor.
    [
      { width: 1000, height: 1 },
      { width: 30, height: 0.5 },
    ],
  ] as const)
    assert.deepEqual(sidesOfDrawing(drawing), sides)
})

test('a floor takes the shape of a plan and keeps its width, unless a side would exceed its limits', () => {
  assert.deepEqual(fittedSides({ width: 30, height: 15 }, { width: 40, height: 40 }), { width: 30, height: 30 })
  assert.deepEqual(fittedSides({ width: 30, height: 15 }, { width: 400, height: 100 }), { width: 30, height: 7.5 })
  for (const drawing of [
    { width: 1, height: 500 },
    { width: 500, height: 1 },
  ]) {
    const { width, height } = fittedSides({ width: 30, height: 15 }, drawing)
    assert.ok(width >= planSize.least && height >= planSize.least && width <= planSize.most && height <= planSize.most)
  }
  assert.equal(isOtherShape({ width: 30, height: 15 }, { width: 40, height: 20.2 }), false)
  assert.equal(isOtherShape({ width: 30, height: 15 }, { width: 40, height: 21 }), true)
  assert.equal(isOtherShape({ width: 30, height: 15 }, { width: 20, height: 40 }), true)
})
