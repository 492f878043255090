/** The parts of a property's address, in order. */
export const addressParts = ['address1', 'address2', 'address3', 'town', 'county'] as const

/**
 * Maximum bytes of an address plus its lower-case form: an index entry (at most 2,704 bytes) contains both beside other
 * columns.
 */
const mostBytes = 2560

/**
 * The validation error of an address's length in UTF-8 bytes: Latin text stays far below the limit; some 400 rare
 * ideographs of four bytes exceed it.
 */
export function addressFault(address: Partial<Record<(typeof addressParts)[number], unknown>>): string | undefined {
  const line = addressParts
    .map((part) => address[part])
    .filter(Boolean)
    .join(', ')
  const bytes = [line, line.toLowerCase()].reduce((sum, text) => sum + new TextEncoder().encode(text).length, 0)
  return bytes <= mostBytes ? undefined : 'The address is too long to be stored: shorten its lines.'
}
