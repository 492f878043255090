import assert from 'node:assert/strict'
import { test } from 'vitest'
import { ofGrid } from './grid.ts'

/** Metres between two nearby places. */
const apart = (a: { lat: number; lng: number }, b: { lat: number; lng: number }) =>
  Math.hypot((a.lat - b.lat) * 111_320, (a.lng - b.lng) * 111_320 * Math.cos((a.lat * Math.PI) / 180))

test('a National Grid place matches its satellite position to a few metres', () => {
  for (const [east, north, lat, lng] of [
    // The worked example of the Ordnance Survey's guide, and its places from Cornwall to Shetland according to OSTN15.
    [651_409.903, 313_177.27, 52.657_977, 1.716_038],
    [91_492.146, 11_318.803, 49.922_261, -6.299_778],
    [170_370.718, 11_572.405, 49.960_061, -5.203_046],
    [292_184.87, 168_003.465, 51.400_783, -3.551_283],
    [530_624.974, 178_388.464, 51.489_366, -0.119_926],
    [267_056.768, 846_176.972, 57.486_25, -4.219_264],
    [421_300.525, 1_072_147.239, 59.534_708, -1.625_169],
  ] as const) {
    const found = ofGrid({ east, north })
    assert.ok(apart(found, { lat, lng }) < 6, `${east}, ${north}: ${found.lat}, ${found.lng}`)
  }
})
