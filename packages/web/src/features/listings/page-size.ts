import type { ListingName } from '@caretaker/rules/devices/list.ts'
import { listings } from '@caretaker/rules/devices/list.ts'

const keyOf = (listing: ListingName) => `caretaker.pageSize.${listing}`

/** Rows a page of a listing as last chosen in this browser; the listing's own number until somebody does. */
export function keptPageSize(listing: ListingName): number {
  const sizes: readonly number[] = listings[listing].pageSizes
  const kept = Number(localStorage.getItem(keyOf(listing)))
  return sizes.includes(kept) ? kept : sizes[0]!
}

export function keepPageSize(listing: ListingName, size: number): void {
  localStorage.setItem(keyOf(listing), String(size))
}
