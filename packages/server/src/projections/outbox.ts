import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import type { SubscribedEvent, WebhookEvent } from '@caretaker/rules/webhooks/webhooks.ts'
import { deliveriesKeptFor } from '@caretaker/rules/webhooks/webhooks.ts'
import { changed } from '../changes/changed.ts'
import { makeDue } from '../postgres/due.ts'
import { prepared } from '../postgres/prepared.ts'
import type { TenantTx } from '../postgres/tenant.ts'

/** The Postgres channel that announces pending messages. */
export const webhookWaiting = 'webhook_waiting'

interface MessageBase {
  event: SubscribedEvent
  at: Date
  data: Record<string, unknown>
}
/** An event of a device, with the data to send. */
export interface DeviceMessage extends MessageBase {
  deviceId: string
  propertyId?: undefined
}
/** The same for a property. */
export interface PropertyMessage extends MessageBase {
  propertyId: string
  deviceId?: undefined
}

/**
 * Enqueues messages for every endpoint that subscribes to the events, in the transaction of the events, so that they
 * are sent if and only if it commits. Call it once for many events. Without an endpoint it costs one query.
 */
export async function enqueueMessages(
  tx: TenantTx,
  happened: readonly (DeviceMessage | PropertyMessage)[],
): Promise<void> {
  if (!happened.length) return
  const events = new Set(happened.map(({ event }) => event))
  const endpoints = await tx
    .selectFrom('webhook_endpoint')
    .select(['id', 'events'])
    .where('tenant_id', '=', tx.tenant)
    .where('disabled_at', 'is', null)
    .where(sql<boolean>`events && ${[...events]}::text[]`)
    // Protected against deletion: the event must not fail because of it.
    .forKeyShare()
    .modifyEnd(prepared)
    .execute()
  if (!endpoints.length) return
  const wanted = happened.filter(({ event }) => endpoints.some((endpoint) => endpoint.events.includes(event)))
  const devices = await devicesOf(tx, [...new Set(wanted.flatMap(({ deviceId }) => deviceId ?? []))])
  const homes = await homesOf(tx, [...new Set(wanted.flatMap(({ propertyId }) => propertyId ?? []))])
  const messages = wanted.map(({ event, deviceId, propertyId, at, data }) => {
    const subject =
      deviceId === undefined
        ? { property: homes.get(propertyId) ?? { id: propertyId } }
        : { device: devices.get(deviceId) ?? { id: deviceId } }
    return messageOf(tx.tenant, event, at, { ...subject, ...data })
  })
  await post(
    tx,
    messages,
    endpoints.map(({ id, events: of }) => ({
      id,
      messages: messages.filter(({ event }) => of.includes(event as never)),
    })),
  )
}

export interface Message {
  id: string
  event: WebhookEvent
  at: Date
  body: string
}

/** A message as it is signed and sent: type, time, tenant and data. */
export function messageOf(tenant: string, event: WebhookEvent, at: Date, data: Record<string, unknown>): Message {
  return {
    id: randomUUID(),
    event,
    at,
    body: JSON.stringify({ type: event, timestamp: at.toISOString(), tenant, data }),
  }
}

/** Enqueues messages for endpoints, due immediately. */
export async function post(
  tx: TenantTx,
  messages: readonly Message[],
  endpoints: readonly { id: string; messages: readonly Message[] }[],
  now = new Date(),
): Promise<void> {
  const deliveries = endpoints.flatMap(({ id, messages: of }) => of.map((message) => ({ id, messageId: message.id })))
  if (!deliveries.length) return
  await sql`
    insert into webhook_message (tenant_id, id, event, at, body, written_at)
    select ${tx.tenant}, input.*, ${now}::timestamptz from unnest(
      ${messages.map(({ id }) => id)}::uuid[], ${messages.map(({ event }) => event)}::text[],
      ${messages.map(({ at }) => at.toISOString())}::timestamptz[], ${messages.map(({ body }) => body)}::text[]
    ) as input (id, event, at, body)
    on conflict do nothing`.execute(tx)
  await sql`
    insert into webhook_delivery (tenant_id, endpoint_id, message_id, at, due_at)
    select ${tx.tenant}, input.*, ${now}::timestamptz, ${now}::timestamptz from unnest(
      ${deliveries.map(({ id }) => id)}::uuid[], ${deliveries.map(({ messageId }) => messageId)}::uuid[]
    ) as input (endpoint_id, message_id)
    on conflict do nothing`.execute(tx)
  await makeDue(tx, 'deliver webhooks', now)
  await makeDue(tx, 'forget webhooks', new Date(+now + deliveriesKeptFor))
  await announce(tx)
  await changed(
    tx,
    'webhook',
    endpoints.map(({ id }) => id),
  )
}

/** Enqueues stored messages for one endpoint again, starting from their first attempt. */
export async function enqueueAgain(
  tx: TenantTx,
  endpointId: string,
  messageIds: readonly string[],
  now: Date,
): Promise<void> {
  if (!messageIds.length) return
  const due = messageIds.map(() => now.toISOString())
  await sql`
    insert into webhook_delivery (tenant_id, endpoint_id, message_id, at, due_at)
    select ${tx.tenant}, again.* from unnest(
      ${messageIds.map(() => endpointId)}::uuid[], ${[...messageIds]}::uuid[], ${due}::timestamptz[], ${due}::timestamptz[]
    ) as again (endpoint_id, message_id, at, due_at)
    on conflict (tenant_id, endpoint_id, message_id) do update
      set state = 'waiting', attempts = 0, claimant = null, due_at = excluded.due_at`.execute(tx)
  await makeDue(tx, 'deliver webhooks', now)
  await announce(tx)
  await changed(tx, 'webhook', [endpointId])
}

async function announce(tx: TenantTx): Promise<void> {
  await sql`select pg_notify(${webhookWaiting}, ${tx.tenant})`.execute(tx)
}

/** The data of devices in a message: enough for other software to identify them, and nothing about residents. */
async function devicesOf(tx: TenantTx, ids: readonly string[]) {
  if (!ids.length) return new Map<string, never>()
  const rows = await tx
    .selectFrom('device')
    .select(['id', 'serial', 'product', 'building_id as buildingId', 'property_id as propertyId'])
    .where('tenant_id', '=', tx.tenant)
    .where(sql<boolean>`id = any(${ids}::uuid[])`)
    .execute()
  return new Map(rows.map((row) => [row.id, row]))
}

/** The same for properties. */
async function homesOf(tx: TenantTx, ids: readonly string[]) {
  if (!ids.length) return new Map<string, never>()
  const rows = await tx
    .selectFrom('property')
    .select(['id', 'reference', 'building_id as buildingId'])
    .where('tenant_id', '=', tx.tenant)
    .where(sql<boolean>`id = any(${ids}::uuid[])`)
    .execute()
  return new Map(rows.map((row) => [row.id, row]))
}
