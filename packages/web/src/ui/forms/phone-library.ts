import type { CountryCode } from 'libphonenumber-js/min'
import { Metadata, getCountries, getCountryCallingCode, parsePhoneNumberFromString } from 'libphonenumber-js/min'
import type { DialCode } from './phone-number.ts'

// Large and rarely used: loaded with the first phone field.

let list: DialCode[] | undefined

/** Every country with its dial code, by name. */
export function dialCodes(): DialCode[] {
  if (list) return list
  const names = new Intl.DisplayNames('en-GB', { type: 'region' })
  const byName = new Intl.Collator('en-GB')
  list = getCountries()
    .map((country): DialCode => {
      const code = getCountryCallingCode(country)
      return { country, code, name: names.of(country) ?? country, priority: placeOf(country, code) }
    })
    .sort((a, b) => byName.compare(a.name, b.name))
  return list
}

/** The library lists the main country of a code first. */
function placeOf(country: CountryCode, code: string): number {
  // Missing in the types of the library.
  const metadata = new Metadata() as unknown as { getCountryCodesForCallingCode(code: string): string[] | undefined }
  return metadata.getCountryCodesForCallingCode(code)?.indexOf(country) ?? 0
}

/** Whether a number with its dial code is possible in its country. */
export function isPhoneNumber(number: string): boolean {
  return parsePhoneNumberFromString(number)?.isValid() ?? false
}

/** The full number, '+447911123456', of digits typed for a country; incomplete numbers are returned as typed. */
export function phoneNumberOf(digits: string, country: string): string {
  if (digits === '') return ''
  const parsed = parsePhoneNumberFromString(digits, country as CountryCode)
  return parsed?.isValid() ? parsed.number : `+${getCountryCallingCode(country as CountryCode)}${digits}`
}
