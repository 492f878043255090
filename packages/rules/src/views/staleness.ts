/** Milliseconds after its last update for which the data of a view counts as fresh (core specification, section 4.4). */
export const viewFreshness = 300_000

interface ViewAge {
  /** When the data was last updated, and now, in milliseconds since the epoch. */
  updatedAt: number
  now: number
  /** Ids of the devices in the data. */
  deviceIds: readonly string[]
  /** Ids of devices that the server says have changed since. */
  changedIds: readonly string[]
}

/** Whether the data of a view must be loaded again: it is too old, or a device in it has changed. */
export function isStale({ updatedAt, now, deviceIds, changedIds }: ViewAge): boolean {
  if (now - updatedAt > viewFreshness) return true
  const changed = new Set(changedIds)
  return deviceIds.some((id) => changed.has(id))
}
