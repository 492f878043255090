/** The location of a device: its property by reference, null outside properties, and its room. */
export interface Standing {
  home: string | null
  room: string | null
  location: string | null
}

/** A recorded move of a device: only the changed fields, with their previous values. */
export interface Move {
  /** ms. */
  at: number
  before: Partial<Standing>
}

/** A period in one property and room; `from` and `to` in ms. */
export interface Stay extends Standing {
  from: number
  to: number
  /**
   * When the property had this reference, in ms: at the move that ended the stay, or Infinity for the current location.
   */
  namedAt: number
}

/**
 * The stays of a device between two instants, from its current location and later moves in any order; earliest first.
 */
export function staysBetween(now: Standing, moves: readonly Move[], from: number, to: number): Stay[] {
  const stays: Stay[] = []
  let standing = now
  let end = Infinity
  for (const { at, before } of moves.toSorted((a, b) => b.at - a.at)) {
    stays.push({ ...standing, from: at, to: end, namedAt: end })
    standing = { ...standing, ...before }
    end = at
  }
  stays.push({ ...standing, from: -Infinity, to: end, namedAt: end })
  return stays
    .map((stay) => ({ ...stay, from: Math.max(stay.from, from), to: Math.min(stay.to, to) }))
    .filter((stay) => stay.from < stay.to)
    .toReversed()
}

/** A change to a property's reference. */
export interface Renaming {
  /** ms. */
  at: number
  before: string
}

/** The reference of a property at an instant, from its current one and later changes in any order. */
export function referenceAt(now: string, renamings: readonly Renaming[], at: number): string {
  const next = renamings.filter((one) => one.at > at).toSorted((a, b) => a.at - b.at)[0]
  return next ? next.before : now
}
