import type { TenantTx } from '../postgres/tenant.ts'
import { writeAuditEntries } from './audit-trail.ts'
import { writeChangeFeed } from './change-feed.ts'
import { copyPlaces } from './copied-places.ts'
import { makeWorkDue } from './due-work.ts'
import type { DomainEvent } from './event.ts'
import { markHomes } from './marked-homes.ts'
import { enqueueWebhooks } from './webhook-outbox.ts'

/** Writes the consequences of a transaction's events, with one statement per kind of row. */
export type Projection = (tx: TenantTx, events: readonly DomainEvent[]) => Promise<void>

/**
 * All projections in order. Device rows come first, because the transaction has already locked them; rows that many
 * transactions write (due work, and the feed, whose announcements are committed one after the other) come last, to be
 * locked briefly.
 */
export const projections: readonly Projection[] = [
  copyPlaces,
  writeAuditEntries,
  markHomes,
  makeWorkDue,
  // After the work of properties, like code that calls `changed` and records events: rows of `due` are locked in one
  // order.
  enqueueWebhooks,
  writeChangeFeed,
]

/** Runs each projection once over all events. A failed projection fails the transaction. */
export async function runProjections(
  tx: TenantTx,
  events: readonly DomainEvent[],
  list: readonly Projection[] = projections,
): Promise<void> {
  for (const project of list) await project(tx, events)
}
