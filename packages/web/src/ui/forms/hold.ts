/**
 * Milliseconds before the next step while a plus or minus button is held, after so many steps: 600 at first, each further
 * pause 200 shorter, down to 100 (estate specification, section 5).
 */
export function holdPause(steps: number): number {
  return Math.max(100, 600 - 200 * steps)
}

/** A step up or down from a value, kept within its bounds and free of the noise of binary fractions. */
export function stepped(value: number, step: number, { min, max }: { min: number; max: number }): number {
  const next = Math.min(max, Math.max(min, value + step))
  return Number(next.toFixed(6))
}

/** The number that a text holds while it is typed; an empty one is 0. */
export function typedNumber(text: string): number {
  const number = Number(text.replace(',', '.'))
  return Number.isFinite(number) ? number : 0
}
