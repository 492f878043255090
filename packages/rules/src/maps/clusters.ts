import type { Pixels } from './mercator.ts'
import { tileSize } from './mercator.ts'

/** Clustering of close markers (estate specification, section 9). */
export const clustering = {
  /** Below it, the clusters of this zoom are shown. */
  minZoom: 3,
  /** Above it, markers are not clustered. */
  maxZoom: 16,
  /** Pixels. */
  radius: 50,
} as const

/** Cells per radius in which points are counted before clustering. */
export const cellsInRadius = 4

/** The integer zoom for clustering, between the minimum and the first without clusters. */
export function clusterZoom(zoom: number): number {
  return Math.max(clustering.minZoom, Math.min(Math.floor(zoom), clustering.maxZoom + 1))
}

export const isUnclustered = (zoom: number): boolean => clusterZoom(zoom) > clustering.maxZoom

/** The radius as a fraction of the world's width. */
export const clusterRadius = (zoom: number): number => clustering.radius / (tileSize * 2 ** clusterZoom(zoom))

/**
 * Clusters points greedily: each point in order takes all unassigned points within the radius.
 * @param points in the unit square of the world
 * @returns groups of at least one, in the order of their first
 */
export function grouped<P extends Pixels>(points: readonly P[], radius: number): P[][] {
  // A combined number is faster than text, and rows have fewer cells than the factor.
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
