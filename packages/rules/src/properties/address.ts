/** The parts of the address of a home, in their order. */
export const addressParts = ['address1', 'address2', 'address3', 'town', 'county'] as const

/** Bytes of an address and of the same in lower case: an entry of an index, of 2,704 bytes at most, holds both beside other columns. */
const mostBytes = 2560

/**
 * What is wrong with the length of an address, counted in bytes of UTF-8: letters of Latin scripts never come near the bound, some 400 rare
 * ideographs of four bytes each are beyond it.
 */
export function addressFault(address: Partial<Record<(typeof addressParts)[number], unknown>>): string | undefined {
  const line = addressParts
    .map((part) => address[part])
    .filter(Boolean)
    .join(', ')
  const bytes = [line, line.toLowerCase()].reduce((sum, text) => sum + new TextEncoder().encode(text).length, 0)
  return bytes <= mostBytes ? undefined : 'The address is too long to be stored: shorten its lines.'
}
