import { grouped } from '@caretaker/rules/maps/clusters.ts'
import { inWorld, tileSize } from '@caretaker/rules/maps/mercator.ts'
import type { Shown } from './shown.ts'

/** Pixels: closer markers overlap. */
const apart = 10

/** Groups items whose markers would overlap; most are alone. */
export const stacksOf = (points: readonly Shown[], zoom: number): Shown[][] =>
  grouped(
    points.map((one) => ({ ...inWorld(one), one })),
    apart / (tileSize * 2 ** zoom),
  ).map((spot) => spot.map(({ one }) => one))
