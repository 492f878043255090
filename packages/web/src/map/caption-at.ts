import type { Pixels, Size } from '@caretaker/rules/maps/mercator.ts'

/** Pixels between a pin and its label. */
const gap = 3

/**
 * The position of a pin label so that the map edge does not cut it off: the offset from its centre in pixels, and above
 * the pin if there is no room below. Labels of pins outside the map follow them.
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
