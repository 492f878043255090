/**
 * Milliseconds before the next step while a plus or minus button is held: 600 at first, each further pause 200 shorter,
 * down to 100 (estate specification, section 5).
 */
export function holdPause(steps: number): number {
  return Math.max(100, 600 - 200 * steps)
}

/** A value one step up or down, within its bounds and without binary rounding noise. */
export function stepped(value: number, step: number, { min, max }: { min: number; max: number }): number {
  const next = Math.min(max, Math.max(min, value + step))
  return Number(next.toFixed(6))
}

/** The number of a text while typing; an empty one is 0. */
export function typedNumber(text: string): number {
  const number = Number(text.replace(',', '.'))
  return Number.isFinite(number) ? number : 0
}
