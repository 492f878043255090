/** The parts of a property's address, in written order. */
export interface AddressParts {
  address1: string
  address2: string
  address3: string
  town: string
  county: string
  postcode: string
}

/** A postcode of Great Britain, alone or at the end of an address, with or without its space. */
const postcodeAtEnd = /(?:^|[\s,])([A-Z]{1,2}\d[A-Z\d]?)\s*(\d[A-Z]{2})$/i

/**
 * Splits a one-line address into parts. Town and county are the known ones if the line still ends with them. Joined
 * again in order, the parts form the line.
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

/** Removes the county from the end: the known one, or the last of at least four parts. */
function takeLast(parts: string[], known: string): string {
  return endsWith(parts, known) || parts.length > 3 ? parts.pop()! : ''
}
