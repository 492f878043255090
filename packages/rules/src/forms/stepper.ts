/** The limits of a number stepper. */
export interface StepperBounds {
  min: number
  max: number
  step: number
}

/** The default limits (estate specification, section 5). */
export const stepperBounds: StepperBounds = { min: 0, max: 100, step: 1 }

/**
 * The text of a number field after typing: a value that is out of range or not a whole number leaves it unchanged, but
 * 0 is always accepted, as a first digit. An emptied field becomes 0.
 */
export function typedInto(before: string, typed: string, { min, max }: Pick<StepperBounds, 'min' | 'max'>): string {
  const text = typed.trim()
  if (text === '') return '0'
  if (!/^\d+$/.test(text)) return before
  const number = Number(text)
  return number === 0 || (number >= min && number <= max) ? String(number) : before
}
