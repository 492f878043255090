import { grouped } from '@caretaker/rules/maps/clusters.ts'
import { inWorld, tileSize } from '@caretaker/rules/maps/mercator.ts'
import type { Shown } from './shown.ts'

/** Pixels: markers that are nearer than that hide one another. */
const apart = 10

/** What stands alone on a map by the spots on which it would lie on one another; most have a spot of their own. */
export const stacksOf = (points: readonly Shown[], zoom: number): Shown[][] =>
  grouped(
    points.map((one) => ({ ...inWorld(one), one })),
    apart / (tileSize * 2 ** zoom),
  ).map((spot) => spot.map(({ one }) => one))
