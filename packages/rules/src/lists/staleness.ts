/** Refresh interval of a list, in ms. */
export const listingRefresh = 10_000
/** Milliseconds after which a listing is fetched again even without a known change (core specification, 4.4). */
export const viewDataStaleness = 5 * 60_000

/** The parts of loaded view data that determine staleness. */
export interface LoadedViewData {
  /** ISO 8601, server time. */
  updatedAt: string
  /** Ids of the rows. */
  ids: readonly string[]
}

/** Whether view data must be fetched again: it is old, or one of its rows has changed (core specification, 4.4). */
export function isStale(loaded: LoadedViewData, changedIds: readonly string[], now: number): boolean {
  if (now - Date.parse(loaded.updatedAt) > viewDataStaleness) return true
  const changed = new Set(changedIds)
  return loaded.ids.some((id) => changed.has(id))
}
