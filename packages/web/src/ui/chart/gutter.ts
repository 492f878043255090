/** Pixels left of a plot for axis labels; for row labels if an events chart is aligned below. */
const narrow = 48
const forLabels = 104
/** Right of a plot, for the last time label or the text of a limit. */
const edge = 20
const forLimits = 76

/** Below this width in pixels there is no extra margin. */
const narrowBelow = 600

export const labelGutter = forLabels

export function gutterFor(width: number, wide: boolean): number {
  return wide && width >= narrowBelow ? forLabels : narrow
}

/** Pixels right of a plot. Wide plots are aligned, so all of them leave room for the limits of one. */
export function rightEdgeFor(width: number, { wide, limits }: { wide: boolean; limits: boolean }): number {
  return limits || (wide && width >= narrowBelow) ? forLimits : edge
}
