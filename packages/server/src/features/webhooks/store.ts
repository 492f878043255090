import { sql } from 'kysely'
import type { WebhookDelivery } from '@caretaker/contract/webhooks.ts'
import type { DeliveryState } from '@caretaker/rules/webhooks/webhooks.ts'
import { mostReplayed } from '@caretaker/rules/webhooks/webhooks.ts'
import type { TenantTx } from '../../postgres/tenant.ts'
import { enqueueAgain } from '../../projections/outbox.ts'
import { naturally } from '../../postgres/natural-order.ts'
import type { EndpointRow } from '../../webhooks/endpoints.ts'

const ofEndpoint = (tx: TenantTx) =>
  tx
    .selectFrom('webhook_endpoint')
    .select(['id', 'name', 'url', 'events', 'secret', 'former_secret', 'former_until', 'created_by'])
    .select(['created_at', 'disabled_at', 'disabled_reason', 'failing_since'])
    .where('tenant_id', '=', tx.tenant)

export async function endpointRows(tx: TenantTx): Promise<EndpointRow[]> {
  return ofEndpoint(tx)
    .orderBy(naturally(sql`name`))
    .orderBy('id')
    .execute()
}

export async function findEndpoint(tx: TenantTx, id: string, hold?: 'hold'): Promise<EndpointRow | undefined> {
  const query = ofEndpoint(tx).where('id', '=', id)
  return (hold ? query.forNoKeyUpdate() : query).executeTakeFirst()
}

/** Serialises concurrent additions, so that the limit holds. */
export async function holdEndpoints(tx: TenantTx): Promise<void> {
  await tx.selectFrom('tenant').select('id').where('id', '=', tx.tenant).forNoKeyUpdate().executeTakeFirst()
}

const pageSize = 50

/** A page of the log, newest first. */
export async function deliveries(
  tx: TenantTx,
  endpointId: string,
  { state, after }: { state?: DeliveryState | undefined; after?: string | undefined },
): Promise<{ results: WebhookDelivery[]; next: string | null }> {
  const [ms, ...id] = after?.split('-') ?? []
  const rows = await tx
    .selectFrom('webhook_delivery as delivery')
    .innerJoin('webhook_message as message', 'message.id', 'delivery.message_id')
    .select(['message.id', 'message.event', 'message.body', 'delivery.state', 'delivery.attempts', 'delivery.due_at'])
    .select(['delivery.at', 'delivery.tried_at', 'delivery.status_code', 'delivery.fault', 'delivery.answer'])
    .select('delivery.duration_ms')
    .where('delivery.tenant_id', '=', tx.tenant)
    .where('message.tenant_id', '=', tx.tenant)
    .where('delivery.endpoint_id', '=', endpointId)
    .$if(state !== undefined, (query) => query.where('delivery.state', '=', state!))
    .$if(after !== undefined, (query) =>
      query.where(
        sql<boolean>`(delivery.at, delivery.message_id) < (${new Date(Number(ms))}::timestamptz, ${id.join('-')}::uuid)`,
      ),
    )
    .orderBy('delivery.at', 'desc')
    .orderBy('delivery.message_id', 'desc')
    .limit(pageSize + 1)
    .execute()
  const page = rows.slice(0, pageSize)
  const last = page.at(-1)
  return {
    results: page.map((row) => ({
      ...{ messageId: row.id, event: row.event, body: row.body, state: row.state, attempts: row.attempts },
      ...{ at: row.at.toISOString(), nextAt: row.due_at?.toISOString() ?? null },
      ...{ triedAt: row.tried_at?.toISOString() ?? null, status: row.status_code, fault: row.fault },
      ...{ answer: row.answer, duration: row.duration_ms },
    })),
    next: rows.length > pageSize && last ? `${+last.at}-${last.id}` : null,
  }
}

/** Sends a message again, starting from its first attempt. */
export async function sendAgain(
  tx: TenantTx,
  endpointId: string,
  messageId: string,
  now: Date,
): Promise<'sent' | 'waiting' | 'not there'> {
  const found = await tx
    .selectFrom('webhook_delivery')
    .select('due_at')
    .where('tenant_id', '=', tx.tenant)
    .where('endpoint_id', '=', endpointId)
    .where('message_id', '=', messageId)
    .forUpdate()
    .executeTakeFirst()
  if (!found) return 'not there'
  if (found.due_at) return 'waiting'
  await enqueueAgain(tx, endpointId, [messageId], now)
  return 'sent'
}

interface Period {
  from: Date
  to: Date
  /** The endpoint's own events. */
  events: readonly string[]
  onlyUndelivered: boolean
  after?: string | undefined
}

/** Enqueues messages about events of a period again, oldest first; returns how many, and where to continue. */
export async function replay(
  tx: TenantTx,
  endpointId: string,
  { from, to, events, onlyUndelivered, after }: Period,
  now: Date,
): Promise<{ messages: number; next: string | null }> {
  const [ms, ...id] = after?.split('-') ?? []
  const found = await tx
    .selectFrom('webhook_message as message')
    .leftJoin('webhook_delivery as delivery', (join) =>
      join
        .onRef('delivery.message_id', '=', 'message.id')
        .on('delivery.tenant_id', '=', tx.tenant)
        .on('delivery.endpoint_id', '=', endpointId),
    )
    .select(['message.id', 'message.at', 'delivery.due_at', 'delivery.state'])
    .where('message.tenant_id', '=', tx.tenant)
    .where('message.at', '>=', from)
    .where('message.at', '<', to)
    .where(sql<boolean>`message.event = any(${[...events]}::text[])`)
    .$if(after !== undefined, (query) =>
      query.where(
        sql<boolean>`(message.at, message.id) > (${new Date(Number(ms))}::timestamptz, ${id.join('-')}::uuid)`,
      ),
    )
    .orderBy('message.at')
    .orderBy('message.id')
    .limit(mostReplayed + 1)
    .execute()
  const page = found.slice(0, mostReplayed)
  const wanted = page.filter(({ due_at, state }) => !due_at && !(onlyUndelivered && state === 'delivered'))
  await enqueueAgain(
    tx,
    endpointId,
    wanted.map(({ id: message }) => message),
    now,
  )
  const last = page.at(-1)
  return { messages: wanted.length, next: found.length > mostReplayed && last ? `${+last.at}-${last.id}` : null }
}
