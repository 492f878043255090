/** A country of the dial-code list. */
export interface DialCode {
  /** Two letters, ISO 3166. */
  country: string
  name: string
  /** Digits without the plus. */
  code: string
  /** Among countries with the same code, the lowest comes first. */
  priority: number
}

/** The initial country of a phone field. */
export const defaultCountry = 'GB'
/** The largest number of digits after the dial code. */
export const phoneDigits = 12

/**
 * Splits a number into dial code and rest: the longest matching code, and among countries that share it the country
 * with the highest priority. Undefined if no code matches.
 */
export function splitPhone(number: string, list: readonly DialCode[]): { dial: DialCode; rest: string } | undefined {
  const digits = digitsIn(number)
  const [dial] = list
    .filter(({ code }) => number.trim().startsWith('+') && digits.startsWith(code))
    .sort((a, b) => b.code.length - a.code.length || a.priority - b.priority)
  return dial && { dial, rest: digits.slice(dial.code.length) }
}

/** The digits of a text. */
export function digitsIn(text: string): string {
  return text.replaceAll(/\D/g, '')
}

/** The digits of a phone field, limited to the maximum. */
export function typedDigits(text: string): string {
  return digitsIn(text).slice(0, phoneDigits)
}
