/** CSS units in pixels, 96 to the inch (CSS Values and Units, 5.2). */
const units: Readonly<Record<string, number>> = {
  '': 1,
  px: 1,
  in: 96,
  cm: 96 / 2.54,
  mm: 96 / 25.4,
  q: 96 / 101.6,
  pt: 96 / 72,
  pc: 16,
  // At the default font size of browsers.
  em: 16,
  rem: 16,
  ex: 8,
}

const length = /^([+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?)\s*([a-z]*)$/i

/** A length in pixels; undefined for percentages and invalid lengths. */
export function pixelsOf(text: string | undefined): number | undefined {
  const [, number, unit = ''] = length.exec(text?.trim() ?? '') ?? []
  const factor = number === undefined ? undefined : units[unit.toLowerCase()]
  const pixels = factor === undefined ? NaN : Number(number) * factor
  return Number.isFinite(pixels) ? pixels : undefined
}

export interface Frame {
  x: number
  y: number
  width: number
  height: number
}

/** A valid `viewBox` with an area; undefined for any other, which browsers ignore. */
export function frameOf(viewBox: string | undefined): Frame | undefined {
  const numbers = (viewBox ?? '')
    .trim()
    .split(/[\s,]+/)
    .map(Number)
  const [x = 0, y = 0, width = 0, height = 0] = numbers
  const isWhole = numbers.length === 4 && numbers.every(Number.isFinite)
  return isWhole && width > 0 && height > 0 && Number.isFinite(width / height) ? { x, y, width, height } : undefined
}

/** A `viewBox` with at most three decimal places. */
export const viewBoxOf = ({ x, y, width, height }: Frame): string =>
  [x, y, width, height].map((side) => Number(side.toFixed(3))).join(' ')
