import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { changedQuietly } from '../changes/changed.ts'
import { makeDue } from '../postgres/due.ts'
import type { BadMessageReason, BadPart, Fault } from '@caretaker/rules/devices/messages.ts'
import type { TenantTx } from '../postgres/tenant.ts'
import type { Refusals } from './tally.ts'

/** A message that was rejected in full or in part, as shown to developers in the device's Messages tab. */
export interface BadMessage {
  id: string
  /** The sender; or, if a broker has authorised the message, the device that it is about. */
  deviceId: string
  at: Date
  channel: string
  payload: string
  /** The reason of the first invalid part. */
  reason: BadMessageReason
  detail: string
  /** All invalid parts, in order. */
  parts: BadPart[]
  /** Whether the valid parts are stored. */
  isPartial: boolean
}

/** In ms. Developers look at bad messages while they test a device; its page shows counts for the same period. */
export const badMessagesKeptFor = 86_400_000
const payloadKept = 2048
const channelKept = 200
/** Invalid parts listed per message; further ones are only counted. */
const partsKept = 500

export function badMessage(
  deviceId: string,
  channel: string,
  payload: Buffer,
  at: Date,
  faults: readonly Fault[],
): BadMessage {
  const [first] = faults
  return {
    id: randomUUID(),
    deviceId,
    at,
    channel: storable(channel.slice(0, channelKept)),
    payload: storable(payload.subarray(0, payloadKept).toString()),
    reason: first?.reason ?? 'wrong shape',
    detail: storable(first?.detail ?? ''),
    parts: faults
      .slice(0, partsKept)
      .map(({ field = '', reason, detail }) => ({ path: storable(field), reason, detail: storable(detail) })),
    isPartial: false,
  }
}

const storable = (text: string) => text.replaceAll('\0', '\uFFFD').toWellFormed()

/**
 * Adds to the rejection counts shown on device pages; ignores devices of other tenants. The caller announces the
 * change.
 */
export async function storeRefusals(tx: TenantTx, refusals: Refusals[]): Promise<void> {
  const known = await tx
    .selectFrom('device')
    .select('id')
    .where('tenant_id', '=', tx.tenant)
    .where(sql<boolean>`id = any(${refusals.map(({ deviceId }) => deviceId)}::uuid[])`)
    .execute()
  const ids = new Set(known.map(({ id }) => id))
  const these = refusals.filter(({ deviceId }) => ids.has(deviceId))
  if (!these.length) return
  const column = <K extends keyof Refusals>(key: K) => these.map((one) => one[key])
  const times = (key: 'first' | 'last') => these.map((one) => new Date(one[key]).toISOString())
  await sql`
    insert into refused_message as known (tenant_id, device_id, reason, count, first_at, last_at, field)
    select ${tx.tenant}, refusal.* from unnest(
      ${column('deviceId')}::uuid[], ${column('reason')}::text[], ${column('count')}::bigint[],
      ${times('first')}::timestamptz[], ${times('last')}::timestamptz[],
      ${these.map(({ field }) => (field === undefined ? null : storable(field)))}::text[]
    ) as refusal (device_id, reason, count, first_at, last_at, field)
    order by refusal.device_id, refusal.reason
    on conflict (tenant_id, device_id, reason) do update set
      count = known.count + excluded.count, last_at = greatest(known.last_at, excluded.last_at),
      field = case when excluded.last_at >= known.last_at then excluded.field else known.field end`.execute(tx)
  await changedQuietly(tx, 'device state', ids)
  await makeDue(tx, 'forget bad messages', new Date(Date.now() + badMessagesKeptFor))
}

/**
 * Stores bad messages of the tenant's devices. Messages of unknown devices are dropped, because no one could read them.
 */
export async function storeBadMessages(tx: TenantTx, messages: BadMessage[]): Promise<void> {
  const column = <K extends keyof BadMessage>(key: K) => messages.map((message) => message[key])
  await sql`
    insert into bad_message (tenant_id, id, device_id, at, channel, reason, detail, payload, parts, is_partial)
    select ${tx.tenant}, bad.* from unnest(
      ${column('id')}::uuid[], ${column('deviceId')}::uuid[], ${messages.map(({ at }) => at.toISOString())}::timestamptz[],
      ${column('channel')}::text[], ${column('reason')}::text[], ${column('detail')}::text[], ${column('payload')}::text[],
      ${messages.map(({ parts }) => JSON.stringify(parts))}::jsonb[], ${column('isPartial')}::boolean[]
    ) as bad (id, device_id, at, channel, reason, detail, payload, parts, is_partial)
    where exists (select from device where device.tenant_id = ${tx.tenant} and device.id = bad.device_id)
    order by bad.id
    on conflict do nothing`.execute(tx)
  await makeDue(tx, 'forget bad messages', new Date(Date.now() + badMessagesKeptFor))
}

/** Deletes the rejected messages of uninstalled devices. */
export async function deleteBadMessagesOf(tx: TenantTx, deviceIds: readonly string[]): Promise<void> {
  await tx
    .deleteFrom('bad_message')
    .where('tenant_id', '=', tx.tenant)
    .where(sql<boolean>`device_id = any(${deviceIds}::uuid[])`)
    .execute()
  await tx
    .deleteFrom('refused_message')
    .where('tenant_id', '=', tx.tenant)
    .where(sql<boolean>`device_id = any(${deviceIds}::uuid[])`)
    .execute()
}
