/** The bounds of a number that is stepped up and down. */
export interface StepperBounds {
  min: number
  max: number
  step: number
}

/** Those of a field that has none of its own (estate specification, section 5). */
export const stepperBounds: StepperBounds = { min: 0, max: 100, step: 1 }

/**
 * The text of a number field after something was typed: what is out of its bounds or no whole number leaves it as it was, but
 * a 0 is always taken, because one begins with it. Emptied it is 0.
 */
export function typedInto(before: string, typed: string, { min, max }: Pick<StepperBounds, 'min' | 'max'>): string {
  const text = typed.trim()
  if (text === '') return '0'
  if (!/^\d+$/.test(text)) return before
  const number = Number(text)
  return number === 0 || (number >= min && number <= max) ? String(number) : before
}
