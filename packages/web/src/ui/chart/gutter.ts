/** Pixels left of a plot for the figures of its axis; where an events chart stands under it, for the labels of its rows. */
const narrow = 48
const forLabels = 104
/** Right of a plot, so that the last label of its time axis finds room, or the words of a limit. */
const edge = 20
const forLimits = 76

/** Below this width in pixels lines keep their room to themselves. */
const narrowBelow = 600

export const labelGutter = forLabels

export function gutterFor(width: number, wide: boolean): number {
  return wide && width >= narrowBelow ? forLabels : narrow
}

/** Pixels right of a plot. Wide ones stand under each other: all of them leave room for the limits of one. */
export function rightEdgeFor(width: number, { wide, limits }: { wide: boolean; limits: boolean }): number {
  return limits || (wide && width >= narrowBelow) ? forLimits : edge
}
