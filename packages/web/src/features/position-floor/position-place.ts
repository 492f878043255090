/** Which floor the address names: its building, and its index among the floors from the lowest up. */
export interface FloorSearch {
  building?: string
  floor?: number
}

/** Anything may stand in an address. */
export function validFloorSearch(search: Record<string, unknown>): FloorSearch {
  const { building, floor } = search
  const index = Number(floor)
  return {
    // A name that is all digits is read as a number.
    ...(['string', 'number'].includes(typeof building) && building !== '' ? { building: String(building) } : {}),
    ...(floor !== undefined && floor !== '' && Number.isInteger(index) && index >= 0 && index < 1000
      ? { floor: index }
      : {}),
  }
}
