/** Milliseconds between two refreshes of a list. */
export const listingRefresh = 10_000
/** Milliseconds after which a listing is fetched anew even though nothing seems to have changed (core specification, 4.4). */
export const viewDataStaleness = 5 * 60_000

/** What of loaded view data decides whether it is stale. */
export interface LoadedViewData {
  /** ISO 8601, by the server's clock. */
  updatedAt: string
  /** Of its rows. */
  ids: readonly string[]
}

/** Whether view data has to be fetched again: it is old, or a row of it has changed (core specification, 4.4). */
export function isStale(loaded: LoadedViewData, changedIds: readonly string[], now: number): boolean {
  if (now - Date.parse(loaded.updatedAt) > viewDataStaleness) return true
  const changed = new Set(changedIds)
  return loaded.ids.some((id) => changed.has(id))
}
