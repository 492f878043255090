import type { BuildingSummary } from '@caretaker/contract/buildings.ts'
import { connectionStates } from '@caretaker/rules/devices/connection.ts'
import { listings } from '@caretaker/rules/devices/list.ts'
import { displayGroups } from '@caretaker/rules/devices/status.ts'
import type { Actor } from '@caretaker/rules/identity/actor.ts'
import type { Filter } from '@caretaker/rules/lists/filters.ts'
import { can } from '@caretaker/rules/rights/can.ts'
import { listingAddress } from '../../api/listing-address.ts'

export type CountedState = 'all' | 'failed' | 'warning' | 'offline'

const filtersOf: Record<CountedState, Filter[]> = {
  all: [],
  failed: [{ fieldId: 'status', filterOp: 'anyof', value: [...displayGroups.Failed, ...displayGroups.FailedDevice] }],
  warning: [{ fieldId: 'status', filterOp: 'anyof', value: [...displayGroups.Warning] }],
  offline: [{ fieldId: 'connection', filterOp: 'equals', value: connectionStates.offline }],
}

/** The listing with exactly the counted devices; undefined if no single listing has them all. */
export function listingOfState(
  actor: Actor,
  { building, listings: listingsOf }: Pick<BuildingSummary, 'building' | 'listings'>,
  state: CountedState,
): string | undefined {
  const listing = listingsOf[state]
  if (!listing || !can(actor, listings[listing].may)) return undefined
  const here: Filter = { fieldId: 'building', filterOp: 'equals', value: building.name }
  return listingAddress(actor.tenant, listing, { filters: [here, ...filtersOf[state]] })
}
