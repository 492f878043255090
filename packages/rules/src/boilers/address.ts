/** The parts of a home's address, in the order in which they are written. */
export interface AddressParts {
  address1: string
  address2: string
  address3: string
  town: string
  county: string
  postcode: string
}

/** A post code of Great Britain, at the end of an address or alone, with or without its space. */
const postcodeAtEnd = /(?:^|[\s,])([A-Z]{1,2}\d[A-Z\d]?)\s*(\d[A-Z]{2})$/i

/**
 * An address that was written in one line, by its parts. Town and county are those that are known where the line still ends
 * with them; written out again in their order the parts are the line.
 */
export function addressParts(line: string, known: Pick<AddressParts, 'town' | 'county'>): AddressParts {
  const text = line.trim()
  const found = postcodeAtEnd.exec(text)
  const postcode = found ? `${found[1]} ${found[2]}`.toUpperCase() : ''
  const rest = found ? text.slice(0, found.index) : text
  const parts = rest
    .split(',')
    .map((part) => part.trim())
    .filter(Boolean)
  const county = parts.length > 2 || endsWith(parts, known.county) ? takeLast(parts, known.county) : ''
  const town = parts.length > 1 ? parts.pop()! : ''
  const [address1 = '', address2 = '', ...more] = parts
  return { address1, address2, address3: more.join(', '), town, county, postcode }
}

const endsWith = (parts: readonly string[], known: string) =>
  parts.length > 1 && known !== '' && parts.at(-1)!.toLowerCase() === known.toLowerCase()

/** Takes the county off the end: the one that is known, or the last of four parts and more. */
function takeLast(parts: string[], known: string): string {
  return endsWith(parts, known) || parts.length > 3 ? parts.pop()! : ''
}
