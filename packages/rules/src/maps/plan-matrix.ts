import type { Pixels } from './mercator.ts'

/** A 2D transform, in the order of CSS `matrix()`. */
export type Matrix = readonly [a: number, b: number, c: number, d: number, e: number, f: number]

/**
 * The transform that maps a square picture with its top left in the origin onto the drawn corners of a plan: top left,
 * top right, bottom right, bottom left. Three corners are enough: over the size of a plan the map is flat to a fraction
 * of a pixel.
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
