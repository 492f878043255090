/** Where a device stood: the home by its reference, null outside any home, and what named its room. */
export interface Standing {
  home: string | null
  room: string | null
  location: string | null
}

/** A recorded change of where a device stands: only the fields that changed, with their values before it. */
export interface Move {
  /** ms. */
  at: number
  before: Partial<Standing>
}

/** A time in one home and room; `from` and `to` in ms. */
export interface Stay extends Standing {
  from: number
  to: number
  /** When the home was named so, in ms: at the move that ended the stay, or Infinity for where it stands now. */
  namedAt: number
}

/** The stays of a device between two instants, by where it stands now and the moves since, in any order; the earliest first. */
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

/** A change of a home's reference. */
export interface Renaming {
  /** ms. */
  at: number
  before: string
}

/** The reference that a home had at an instant, by the one that it has now and the changes since, in any order. */
export function referenceAt(now: string, renamings: readonly Renaming[], at: number): string {
  const next = renamings.filter((one) => one.at > at).toSorted((a, b) => a.at - b.at)[0]
  return next ? next.before : now
}
