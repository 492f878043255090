import { normalPostcode, postcodeOf } from '../postcodes/postcode.ts'
import { longestAddressPart } from './fields.ts'

/** The parts of an address in one text. */
export interface WholeAddress {
  address1: string
  address2?: string
  address3?: string
  town?: string
  county?: string
  postcode: string
}

/** Candidates for a postcode. */
const postcodes =
  /(?<![A-Z0-9])(?:[A-Z]{1,2}\d[A-Z\d]?\s*\d[A-Z]{2}|[A-Z]{4}\s*1ZZ|BFPO\s*\d{1,4}|GIR\s*0AA)(?![A-Z0-9])/gi

/**
 * Splits an address at commas or line breaks: the last part before the postcode is the town. Undefined if there is no
 * postcode or no other part, or if a part is too long.
 */
export function wholeAddressIn(text: string): WholeAddress | undefined {
  const found = [...text.matchAll(postcodes)].findLast(([code]) => postcodeOf(code))
  if (!found) return undefined
  const postcode = normalPostcode(found[0])
  const rest = text.slice(0, found.index) + text.slice(found.index + found[0].length)
  const parts = rest
    .split(/[,;\n]/)
    .map((part) => part.replaceAll(/\s+/g, ' ').trim())
    .filter(Boolean)
  const [address1, ...others] = parts
  if (address1 === undefined || parts.some((part) => part.length > longestAddressPart)) return undefined
  // With more than three lines and a town, the last one is the county.
  const county = others.length > 3 ? others.pop() : undefined
  const town = others.pop()
  const [address2, ...further] = others
  const address3 = further.join(', ') || undefined
  const entered = { address1, address2, address3, town, county, postcode }
  return Object.fromEntries(Object.entries(entered).filter(([, part]) => part !== undefined)) as unknown as WholeAddress
}
