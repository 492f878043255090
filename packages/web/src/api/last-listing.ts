import { pathTo } from '@caretaker/rules/links/places.ts'
import type { ListingName } from '@caretaker/rules/devices/list.ts'

const keyOf = (tenant: string, listing: ListingName) => `caretaker.listing.${tenant}.${listing}`

/** Notes the address of a listing as it was left in this tab: its view, page, order and filters. */
export function rememberListing(tenant: string, listing: ListingName, address: string): void {
  sessionStorage.setItem(keyOf(tenant, listing), address)
}

/** The address of a listing as it was left. */
export function lastListing(tenant: string, listing: ListingName): string {
  return sessionStorage.getItem(keyOf(tenant, listing)) ?? pathTo(tenant, listing)
}
