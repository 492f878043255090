import type { TenantTx } from '../postgres/tenant.ts'
import { writeAuditEntries } from './audit-trail.ts'
import { writeChangeFeed } from './change-feed.ts'
import { copyPlaces } from './copied-places.ts'
import { makeWorkDue } from './due-work.ts'
import type { DomainEvent } from './event.ts'
import { markHomes } from './marked-homes.ts'
import { enqueueWebhooks } from './webhook-outbox.ts'

/** Writes what follows from the events of a transaction, in as few statements as there are kinds of rows. */
export type Projection = (tx: TenantTx, events: readonly DomainEvent[]) => Promise<void>

/**
 * All projections in the order in which they run. Rows of devices come first, because the transaction holds them already; rows that many
 * transactions write (what is due, and the feed, whose announcement is committed one after the other) come last and are held briefly.
 */
export const projections: readonly Projection[] = [
  copyPlaces,
  writeAuditEntries,
  markHomes,
  makeWorkDue,
  // After the work of homes, as code that calls `changed` and records events does: rows of `due` are locked in one order.
  enqueueWebhooks,
  writeChangeFeed,
]

/** Runs each projection once over all events. A projection that fails fails the transaction. */
export async function runProjections(
  tx: TenantTx,
  events: readonly DomainEvent[],
  list: readonly Projection[] = projections,
): Promise<void> {
  for (const project of list) await project(tx, events)
}
