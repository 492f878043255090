import type { ListingQuery } from '@caretaker/contract/devices.ts'
import { refuse } from '@caretaker/contract/refusal.ts'
import type { Actor } from '@caretaker/rules/identity/actor.ts'
import { can } from '@caretaker/rules/rights/can.ts'
import { fieldsOf } from '@caretaker/rules/devices/fields.ts'
import type { ListingName } from '@caretaker/rules/devices/listings.ts'
import { definitionListings, listings } from '@caretaker/rules/devices/listings.ts'
import { listingOfRoot } from '@caretaker/rules/views/view.ts'
import type { TenantTx } from '../../postgres/tenant.ts'
import { refuseUnsound } from '../views/content.ts'
import { findView } from '../views/store.ts'
import { hidesPersonalData } from '../devices/visible.ts'
import type { Wanted } from './store.ts'

/**
 * What a call wants of a listing, with what it left out filled in. Refuses listings that the actor may not see, and names
 * every filter and order that the listing does not know.
 */
export async function wantedOf(tx: TenantTx, actor: Actor, query: ListingQuery): Promise<Wanted> {
  const view = query.viewId === undefined ? undefined : await findView(tx, actor, query.viewId)
  const listing = query.listing ?? (view && listingOfRoot(view.root)) ?? firstListing(actor)
  if (!listing || !can(actor, listings[listing].may)) throw refuse('forbidden')
  if (view && listingOfRoot(view.root) !== listing) throw refuse('not found')
  const known = fieldsOf(listing, hidesPersonalData(actor))
  const filters = query.filters ?? view?.filters ?? []
  const sorts = query.sorts ?? view?.sorts ?? []
  refuseUnsound({ filters, sorts }, known)
  return { listing, filters, sorts, search: query.search }
}

function firstListing(actor: Actor): ListingName | undefined {
  return definitionListings.find((name) => can(actor, listings[name].may))
}
