/** A rule of one field: the error text, or undefined if the value is valid (core specification, section 5). */
export type Validator = (value: string) => string | undefined

const when =
  (fits: (value: string) => boolean) =>
  (text: string): Validator =>
  (value) =>
    fits(value) ? undefined : text

const numeric = /^[+-]?(\d+(\.\d*)?|\.\d+)$/

/** The number that a text contains; undefined for any other text, including an empty one. */
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

/** Letters that look like Latin letters. */
const alike =
  '\\u0430\\u0435\\u043E\\u0440\\u0441\\u0443\\u0445\\u0456\\u0458\\u0455\\u04BB\\u0501\\u051B\\u051D\\u0410\\u0412\\u0415\\u041A\\u041C\\u041D\\u041E\\u0420\\u0421\\u0422\\u0423\\u0425\\u0406\\u0408\\u0405' +
  '\\u03BF\\u03BD\\u0391\\u0392\\u0395-\\u0397\\u0399\\u039A\\u039C\\u039D\\u039F\\u03A1\\u03A4\\u03A5\\u03A7\\uFF21-\\uFF5A'
const label = String.raw`[\p{L}\p{N}](?:[\p{L}\p{M}\p{N}-]{0,61}[\p{L}\p{M}\p{N}])?`
/**
 * An e-mail address, used everywhere: a dot-atom of RFC 5322 with letters of any script (RFC 6531), and a domain with a
 * dot. No whitespace, commas, brackets, quotes or line breaks, which could form a second recipient or a header. No
 * mixture of ASCII with Cyrillic, Greek or full-width look-alikes, which could imitate another address.
 */
export const emailPattern = new RegExp(
  String.raw`^(?!\.)(?!.*\.\.)(?!(?=.*[${alike}])[!-~${alike}]+$)` +
    String.raw`[\p{L}\p{M}\p{N}!#$%&'*+/=?^_\x60{|}~.-]{1,64}(?<!\.)@(?:${label}\.)+(?:\p{L}[\p{L}\p{M}]+|xn--[A-Za-z0-9-]+)$`,
  'u',
)

export const isEmail = when((value) => emailPattern.test(value))

export const isNumeric = when((value) => numberIn(value) !== undefined)

/** Rejects zero in any notation; texts that are not numbers are left to other rules. */
export const isNotZero = when((value) => numberIn(value) !== 0)

export const hasAtMost = (length: number, text: string): Validator => when((value) => [...value].length <= length)(text)

export const isAtLeast = (minimum: number, text: string): Validator =>
  when((value) => holds(value, (number) => number >= minimum))(text)

export const isAtMost = (maximum: number, text: string): Validator =>
  when((value) => holds(value, (number) => number <= maximum))(text)

/** Inclusive limits. */
export const isBetween = (minimum: number, maximum: number, text: string): Validator =>
  when((value) => holds(value, (number) => number >= minimum && number <= maximum))(text)

export const isIn = (list: readonly string[], text: string): Validator => when((value) => list.includes(value))(text)

export const isNotIn = (list: readonly string[], text: string): Validator =>
  when((value) => !list.includes(value))(text)

/** The error of the first rule that the value breaks. */
export function faultOf(value: string, rules: readonly Validator[]): string | undefined {
  for (const rule of rules) {
    const text = rule(value)
    if (text !== undefined) return text
  }
  return undefined
}
