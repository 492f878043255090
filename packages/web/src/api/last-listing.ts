import { pathTo } from '@caretaker/rules/links/places.ts'
import type { ListName } from '@caretaker/rules/views/lists.ts'

const keyOf = (tenant: string, listing: ListName) => `caretaker.listing.${tenant}.${listing}`

/** Notes the address of a listing as it was left in this tab: its view, page, order and filters. */
export function rememberListing(tenant: string, listing: ListName, address: string): void {
  sessionStorage.setItem(keyOf(tenant, listing), address)
}

/** The address of a listing as it was left. */
export function lastListing(tenant: string, listing: ListName): string {
  return sessionStorage.getItem(keyOf(tenant, listing)) ?? pathTo(tenant, listing)
}
