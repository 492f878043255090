import type { Pixels } from './mercator.ts'
import { tileSize } from './mercator.ts'

/** How markers that lie close together are made one (estate specification, section 9). */
export const clustering = {
  /** Below it markers are put together as at this zoom. */
  minZoom: 3,
  /** Above it each stands alone. */
  maxZoom: 16,
  /** Pixels. */
  radius: 50,
} as const

/** Cells that points are counted in before they are put together: so many to a radius. */
export const cellsInRadius = 4

/** The zoom that markers are put together for: a whole one, from the least to the first at which each stands alone. */
export function clusterZoom(zoom: number): number {
  return Math.max(clustering.minZoom, Math.min(Math.floor(zoom), clustering.maxZoom + 1))
}

export const standsAlone = (zoom: number): boolean => clusterZoom(zoom) > clustering.maxZoom

/** The radius in widths of the world. */
export const clusterRadius = (zoom: number): number => clustering.radius / (tileSize * 2 ** clusterZoom(zoom))

/**
 * Puts points together: each in its order takes all within the radius of it that no other has taken.
 * @param points in the square of the world, 0 to 1
 * @returns groups of at least one, in the order of their first
 */
export function grouped<P extends Pixels>(points: readonly P[], radius: number): P[][] {
  // One number for both: there are fewer cells than that in a row, and text would take most of the time.
  const key = (x: number, y: number) => x * 2 ** 26 + y
  const cellOf = (at: number) => Math.floor(at / radius)
  const cells = new Map<number, number[]>()
  points.forEach(({ x, y }, index) => {
    const cell = key(cellOf(x), cellOf(y))
    const held = cells.get(cell)
    if (held) held.push(index)
    else cells.set(cell, [index])
  })
  const taken = new Uint8Array(points.length)
  return points.flatMap((point, index) => {
    if (taken[index]) return []
    const group: P[] = []
    for (let right = -1; right <= 1; right++)
      for (let down = -1; down <= 1; down++)
        for (const other of cells.get(key(cellOf(point.x) + right, cellOf(point.y) + down)) ?? []) {
          const near = points[other]!
          if (taken[other] || Math.hypot(near.x - point.x, near.y - point.y) > radius) continue
          taken[other] = 1
          group.push(near)
        }
    return [group]
  })
}
