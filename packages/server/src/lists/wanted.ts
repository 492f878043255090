import type { ListQuery } from '@caretaker/contract/lists.ts'
import { refuse } from '@caretaker/contract/refusal.ts'
import type { Actor } from '@caretaker/rules/identity/actor.ts'
import { can } from '@caretaker/rules/rights/can.ts'
import { fieldsSeen } from '@caretaker/rules/lists/list.ts'
import type { View } from '@caretaker/rules/views/view.ts'
import type { TenantTx } from '../postgres/tenant.ts'
import type { Wanted } from './read.ts'
import { rejectInvalidView } from './validate.ts'
import type { ListSource, Table } from './source.ts'

/** Finds a view as the actor may see it; rejects one that they may not see. */
export type FindView = (tx: TenantTx, actor: Actor, viewId: string) => Promise<Pick<View, 'root' | 'filters' | 'sorts'>>

/**
 * Fills in the defaults of a list request. Rejects lists that the actor may not see, and names every filter and order
 * unknown to the list.
 */
export async function wantedOf<N extends string>(
  { lists }: ListSource<Table, N>,
  tx: TenantTx,
  actor: Actor,
  query: ListQuery<N>,
  findView: FindView,
): Promise<Wanted<N>> {
  const names = Object.keys(lists) as N[]
  const view = query.viewId === undefined ? undefined : await findView(tx, actor, query.viewId)
  const ofView = view && names.find((name) => lists[name].root === view.root)
  // A view of another subject belongs to none of these lists.
  if (view && !ofView) throw refuse('not found')
  const listing = query.listing ?? ofView ?? names.find((name) => can(actor, lists[name].may))
  if (!listing || !can(actor, lists[listing].may)) throw refuse('forbidden')
  if (view && ofView !== listing) throw refuse('not found')
  const known = fieldsSeen(lists[listing], actor)
  const filters = query.filters ?? view?.filters ?? []
  const sorts = query.sorts ?? view?.sorts ?? []
  rejectInvalidView({ filters, sorts }, known)
  return { listing, filters, sorts, search: query.search }
}
