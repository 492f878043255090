/** Pixels left of a plot for the figures of its axis; where an events chart stands under it, for the labels of its rows. */
const narrow = 48
const forLabels = 104
/** Right of a plot, so that the last label finds room. */
export const rightEdge = 20

/** Below this width in pixels lines keep their room to themselves. */
const narrowBelow = 600

export const labelGutter = forLabels

export function gutterFor(width: number, wide: boolean): number {
  return wide && width >= narrowBelow ? forLabels : narrow
}
