import type { Pixels, Size } from '@caretaker/rules/maps/mercator.ts'

/** Pixels between a pin and its words. */
const gap = 3

/**
 * Where the words of a pin stand so that the edge of the map cuts nothing off: so many pixels beside its middle, and above it
 * where there is no room below. Those of a pin that is outside go with it.
 */
export function captionAt(
  { x, y }: Pixels,
  { width, height, below }: Size & { below: number },
  map: Size,
): { aside: number; isAbove: boolean } {
  const isOutside = x < 0 || x > map.width || y < 0 || y > map.height || width > map.width
  if (isOutside) return { aside: 0, isAbove: false }
  const middle = Math.min(Math.max(x, width / 2), map.width - width / 2)
  return { aside: middle - x, isAbove: y + below / 2 + gap + height > map.height }
}
