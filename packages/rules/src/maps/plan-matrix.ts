import type { Pixels } from './mercator.ts'

/** The six numbers of a transform in the plane, as `matrix()` of CSS takes them. */
export type Matrix = readonly [a: number, b: number, c: number, d: number, e: number, f: number]

/**
 * What lays a square picture with its top left in the origin onto the corners of a plan, as they are drawn: its own top left, top
 * right, bottom right and bottom left. Three corners say it: over the size of a plan a map is flat to a part of a pixel.
 */
export function planMatrix([topLeft, topRight, , bottomLeft]: readonly Pixels[], side: number): Matrix {
  const [from, right, down] = [topLeft!, topRight!, bottomLeft!]
  return [
    (right.x - from.x) / side,
    (right.y - from.y) / side,
    (down.x - from.x) / side,
    (down.y - from.y) / side,
    from.x,
    from.y,
  ]
}
