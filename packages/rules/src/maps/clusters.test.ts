import assert from 'node:assert/strict'
import { test } from 'vitest'
import fc from 'fast-check'
import { clustering, clusterRadius, clusterZoom, grouped, isUnclustered } from './clusters.ts'
import { inWorld, pixelOf } from './mercator.ts'
import {
  connectionSeverityOf,
  count,
  mapStatusFilters,
  noCounts,
  worstConnection,
  worstConnectionFirst,
  worstGroup,
  worstGroupFirst,
} from './status.ts'

const points = fc.array(
  fc.record({ x: fc.double({ min: 0, max: 1, noNaN: true }), y: fc.double({ min: 0, max: 1, noNaN: true }) }),
  { maxLength: 60 },
)

test('markers are clustered from zoom 3 to 16, within 50 pixels [est-9-7] [est-9-8] [est-9-9]', () => {
  assert.deepEqual([0, 2.9, 3, 3.7, 16, 16.9, 17, 21].map(clusterZoom), [3, 3, 3, 3, 16, 16, 17, 17])
  assert.deepEqual([1, 16, 16.99, 17, 21].map(isUnclustered), [false, false, false, true, true])
  const size = { width: 500, height: 500 }
  for (let zoom: number = clustering.minZoom; zoom <= clustering.maxZoom; zoom++) {
    const view = { lat: 53, lng: -1, zoom }
    const here = inWorld(view)
    for (const [apart, groups] of [
      [49.9, 1],
      [50.1, 2],
    ] as const) {
      const there = { x: here.x + (apart / 50) * clusterRadius(zoom), y: here.y }
      assert.equal(grouped([here, there], clusterRadius(zoom)).length, groups)
      const { x } = pixelOf(view, size, { lat: 53, lng: (there.x - 0.5) * 360 })
      assert.ok(Math.abs(x - 250 - apart) < 1e-6)
    }
  }
})

test('every point is in one group, within the radius of its first, and first points are apart', () => {
  fc.assert(
    fc.property(points, fc.double({ min: 0.01, max: 0.5, noNaN: true }), (all, radius) => {
      const groups = grouped(all, radius)
      assert.equal(groups.flat().length, all.length)
      assert.deepEqual(new Set(groups.flat()), new Set(all))
      for (const group of groups)
        for (const { x, y } of group) assert.ok(group.some((first) => Math.hypot(x - first.x, y - first.y) <= radius))
    }),
  )
})

test('a cluster has the worst status and the worst connection of its members [dev-4groups-5]', () => {
  assert.deepEqual(worstGroupFirst, ['Failed', 'Warning', 'FailedDevice', 'Passed', 'NotInstalled'])
  assert.deepEqual(worstConnectionFirst, ['NotConnected', 'intermittent', 'neverconnected', 'Connected'])
  const counts = noCounts()
  assert.equal(worstGroup(counts), undefined)
  assert.equal(worstConnection(counts), undefined)
  count(counts, null, null, 1)
  assert.equal(worstGroup(counts), undefined)
  const steps = [
    ['Inventory', 'Connected', 'NotInstalled', 'Connected'],
    ['Ok', 'Connected', 'Passed', 'Connected'],
    ['FailedDevice', 'neverconnected', 'FailedDevice', 'neverconnected'],
    ['RepairedDevice', 'Connected', 'Warning', 'neverconnected'],
    ['FailedEquipment', 'intermittent', 'Failed', 'intermittent'],
    ['Ok', 'NotConnected', 'Failed', 'NotConnected'],
  ] as const
  for (const [status, connection, group, state] of steps) {
    count(counts, status, connection, 1)
    assert.deepEqual([worstGroup(counts), worstConnection(counts)], [group, state])
  }
  assert.ok(connectionSeverityOf('NotConnected') > connectionSeverityOf('Connected'))
})

test('the colours of a map show device status or connection [est-3-52]', () => {
  assert.deepEqual(mapStatusFilters, ['device', 'connection'])
})
