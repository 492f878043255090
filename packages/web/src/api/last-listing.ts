import { pathTo } from '@caretaker/rules/links/places.ts'
import type { ListName } from '@caretaker/rules/views/lists.ts'

const keyOf = (tenant: string, listing: ListName) => `caretaker.listing.${tenant}.${listing}`

/** Stores the last address of a listing in this tab: view, page, sort order and filters. */
export function rememberListing(tenant: string, listing: ListName, address: string): void {
  sessionStorage.setItem(keyOf(tenant, listing), address)
}

/** The last address of a listing. */
export function lastListing(tenant: string, listing: ListName): string {
  return sessionStorage.getItem(keyOf(tenant, listing)) ?? pathTo(tenant, listing)
}
