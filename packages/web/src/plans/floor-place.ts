/** The floor in an address: its building, and its index from the lowest floor up. */
export interface FloorSearch {
  building?: string
  floor?: number
}

/** Any value may occur in an address. */
export function validFloorSearch(search: Record<string, unknown>): FloorSearch {
  const { building, floor } = search
  const index = Number(floor)
  return {
    // A name of digits is parsed as a number.
    ...(['string', 'number'].includes(typeof building) && building !== '' ? { building: String(building) } : {}),
    ...(floor !== undefined && floor !== '' && Number.isInteger(index) && index >= 0 && index < 1000
      ? { floor: index }
      : {}),
  }
}
