import type { Selectable } from 'kysely'
import { sql } from 'kysely'
import type { Changed } from '@caretaker/rules/audit/audit.ts'
import type { Database } from '../postgres/database.ts'
import type { TenantTx } from '../postgres/tenant.ts'
import type { Recorded } from '../projections/events/audit.ts'
import { record } from '../projections/record.ts'

export type EndpointRow = Omit<Selectable<Database['webhook_endpoint']>, 'tenant_id'>
type NamedEndpoint = Pick<EndpointRow, 'id' | 'name'>

/** How the audit log names an endpoint. */
const named = ({ id, name }: NamedEndpoint) => ({ webhookId: id, webhookName: name })
const audited = ({ url, events }: EndpointRow) => ({ url, events })

export async function addEndpoint(tx: TenantTx, by: Recorded, row: EndpointRow): Promise<void> {
  await tx
    .insertInto('webhook_endpoint')
    .values({ tenant_id: tx.tenant, ...row })
    .execute()
  record(tx, [{ type: 'WebhookAdded', ...named(row), by, before: null, after: audited(row) }])
}

/** Changes a locked endpoint. Pending messages of a disabled one are not sent any more. */
export async function changeEndpoint(
  tx: TenantTx,
  by: Recorded,
  id: string,
  columns: Pick<EndpointRow, 'name' | 'disabled_at'> & Partial<EndpointRow>,
  changes: { before: Changed | null; after: Changed },
): Promise<void> {
  await update(tx, id, columns)
  if (columns.disabled_at) await giveUp(tx, id)
  record(tx, [{ type: 'WebhookChanged', ...named({ id, name: columns.name }), by, ...changes }])
}

/** Replaces the secret of a locked endpoint; the former one also signs until a time. */
export async function replaceSecret(
  tx: TenantTx,
  by: Recorded,
  endpoint: NamedEndpoint,
  columns: { secret: string; former_secret: string; former_until: Date },
): Promise<void> {
  await update(tx, endpoint.id, columns)
  const after = { formerSecretUntil: columns.former_until.toISOString() }
  record(tx, [{ type: 'WebhookSecretReplaced', ...named(endpoint), by, before: null, after }])
}

/** Deletes a locked endpoint, with its messages. */
export async function deleteEndpoint(tx: TenantTx, by: Recorded, row: EndpointRow): Promise<void> {
  await tx.deleteFrom('webhook_endpoint').where('tenant_id', '=', tx.tenant).where('id', '=', row.id).execute()
  record(tx, [{ type: 'WebhookDeleted', ...named(row), by, before: audited(row), after: null }])
}

/** Records that stored messages were enqueued again. */
export function recordReplay(tx: TenantTx, by: Recorded, endpoint: NamedEndpoint, after: Changed): void {
  record(tx, [{ type: 'WebhookMessagesResent', ...named(endpoint), by, before: null, after }])
}

/** Sets since when all deliveries to a locked endpoint have failed; null if one has succeeded. */
export async function setFailingSince(tx: TenantTx, id: string, failingSince: Date | null): Promise<void> {
  await update(tx, id, { failing_since: failingSince })
}

/** The actor when the system disables an endpoint. */
const caretaker = { id: null, name: 'Caretaker' } as const

/** Disables a locked endpoint that does not accept messages. */
export async function disableEndpoint(tx: TenantTx, endpoint: NamedEndpoint, reason: string, now: Date): Promise<void> {
  await update(tx, endpoint.id, { disabled_at: now, disabled_reason: reason })
  await giveUp(tx, endpoint.id)
  record(tx, [{ type: 'WebhookDisabled', ...named(endpoint), by: caretaker, before: null, after: { reason } }])
}

async function update(tx: TenantTx, id: string, columns: Partial<EndpointRow>): Promise<void> {
  await tx
    .updateTable('webhook_endpoint')
    .set(columns)
    .where('tenant_id', '=', tx.tenant)
    .where('id', '=', id)
    .execute()
}

/** Marks pending messages of a disabled endpoint as not sent. */
async function giveUp(tx: TenantTx, endpointId: string): Promise<void> {
  await tx
    .updateTable('webhook_delivery')
    .set({
      state: 'failed',
      due_at: null,
      claimant: null,
      fault: sql<string>`coalesce(fault, 'The endpoint was disabled.')`,
    })
    .where('tenant_id', '=', tx.tenant)
    .where('endpoint_id', '=', endpointId)
    .where('due_at', 'is not', null)
    .execute()
}
