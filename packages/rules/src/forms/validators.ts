/** A rule of one field: the text to show, or undefined when the value is as it should be (core specification, section 5). */
export type Validator = (value: string) => string | undefined

const when =
  (fits: (value: string) => boolean) =>
  (text: string): Validator =>
  (value) =>
    fits(value) ? undefined : text

const numeric = /^[+-]?(\d+(\.\d*)?|\.\d+)$/

/** The number that a text writes in digits; undefined for any other text, an empty one included. */
export function numberIn(value: string): number | undefined {
  const text = value.trim()
  return numeric.test(text) ? Number(text) : undefined
}

const holds = (value: string, test: (number: number) => boolean) => {
  const number = numberIn(value)
  return number !== undefined && test(number)
}

/** Word characters and hyphens only. */
export const isWord = when((value) => /^[A-Za-z0-9_-]+$/.test(value))

/** An e-mail address as the server takes it: one at sign, a domain with a dot, no blanks, Latin letters. */
export const isEmail = when((value) =>
  /^(?!\.)(?!.*\.\.)[A-Za-z0-9_'+\-.]*[A-Za-z0-9_+-]@([A-Za-z0-9][A-Za-z0-9-]*\.)+[A-Za-z]{2,}$/.test(value),
)

export const isNumeric = when((value) => numberIn(value) !== undefined)

/** Zero is not taken, whatever way it is written; what is no number is another rule's business. */
export const isNotZero = when((value) => numberIn(value) !== 0)

export const hasAtMost = (length: number, text: string): Validator => when((value) => [...value].length <= length)(text)

export const isAtLeast = (minimum: number, text: string): Validator =>
  when((value) => holds(value, (number) => number >= minimum))(text)

export const isAtMost = (maximum: number, text: string): Validator =>
  when((value) => holds(value, (number) => number <= maximum))(text)

/** Both bounds are taken. */
export const isBetween = (minimum: number, maximum: number, text: string): Validator =>
  when((value) => holds(value, (number) => number >= minimum && number <= maximum))(text)

export const isIn = (list: readonly string[], text: string): Validator => when((value) => list.includes(value))(text)

export const isNotIn = (list: readonly string[], text: string): Validator =>
  when((value) => !list.includes(value))(text)

/** The text of the first rule that the value breaks. */
export function faultOf(value: string, rules: readonly Validator[]): string | undefined {
  for (const rule of rules) {
    const text = rule(value)
    if (text !== undefined) return text
  }
  return undefined
}
