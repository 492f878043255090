import assert from 'node:assert/strict'
import { test } from 'vitest'
import { captionAt } from './caption-at.ts'

test('the label of a pin stays within the map, beside or above the pin near an edge', () => {
  const map = { width: 300, height: 200 }
  const words = { width: 100, height: 16, below: 30 }
  const at = (x: number, y: number) => captionAt({ x, y }, words, map)
  assert.deepEqual(at(150, 100), { aside: 0, isAbove: false })
  assert.deepEqual(at(10, 100), { aside: 40, isAbove: false })
  assert.deepEqual(at(295, 100), { aside: -45, isAbove: false })
  assert.deepEqual(at(150, 180), { aside: 0, isAbove: true })
  // Its pin is outside as well.
  assert.deepEqual(at(-20, 190), { aside: 0, isAbove: false })
  assert.deepEqual(captionAt({ x: 5, y: 100 }, { ...words, width: 400 }, map), { aside: 0, isAbove: false })
})
