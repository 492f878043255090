import { pathTo } from '@caretaker/rules/identity/places.ts'
import type { ListingName } from '@caretaker/rules/views/listings.ts'

const keyOf = (tenant: string, listing: ListingName) => `caretaker.listing.${tenant}.${listing}`

/** Notes page, order and filters of a listing as it was left in this tab. */
export function rememberListing(tenant: string, listing: ListingName, search: string): void {
  sessionStorage.setItem(keyOf(tenant, listing), search)
}

/** The address of a listing as it was left. */
export function lastListing(tenant: string, listing: ListingName): string {
  return pathTo(tenant, listing) + (sessionStorage.getItem(keyOf(tenant, listing)) ?? '')
}
