/** A country of the dial-code list. */
export interface DialCode {
  /** Two letters, ISO 3166. */
  country: string
  name: string
  /** Digits without the plus. */
  code: string
  /** Among countries that share a code the one with the lowest comes first. */
  priority: number
}

/** The country that phone entry starts with. */
export const defaultCountry = 'GB'
/** Digits that phone entry takes behind the dial code. */
export const phoneDigits = 12

/**
 * Splits a number with its dial code into the code and the rest: the longest code that the number begins with, and among
 * countries that share it the one of the highest priority. Undefined for a number that begins with none.
 */
export function splitPhone(number: string, list: readonly DialCode[]): { dial: DialCode; rest: string } | undefined {
  const digits = digitsIn(number)
  const [dial] = list
    .filter(({ code }) => number.trim().startsWith('+') && digits.startsWith(code))
    .sort((a, b) => b.code.length - a.code.length || a.priority - b.priority)
  return dial && { dial, rest: digits.slice(dial.code.length) }
}

/** The digits of what was typed. */
export function digitsIn(text: string): string {
  return text.replaceAll(/\D/g, '')
}

/** What phone entry keeps of what was typed: digits only, and no more than it takes. */
export function typedDigits(text: string): string {
  return digitsIn(text).slice(0, phoneDigits)
}
