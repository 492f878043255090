import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { changedQuietly } from '../changes/changed.ts'
import { makeDue } from '../postgres/due.ts'
import type { BadMessageReason, BadPart, Fault } from '@caretaker/rules/devices/messages.ts'
import type { TenantTx } from '../postgres/tenant.ts'
import type { Refusals } from './tally.ts'

/** A message that was set aside as a whole or in parts, as developers see it in the device's Messages tab. */
export interface BadMessage {
  id: string
  /** Who sent it; the one it speaks about when a broker has let it in. */
  deviceId: string
  at: Date
  channel: string
  payload: string
  /** Of the first part that is wrong. */
  reason: BadMessageReason
  detail: string
  /** Each part that is wrong, in their order. */
  parts: BadPart[]
  /** Whether the rest of it is stored. */
  isPartial: boolean
}

/** Milliseconds: developers look at them while they try a device. So long a device's page tells of them as well. */
export const badMessagesKeptFor = 86_400_000
const payloadKept = 2048
const channelKept = 200
/** Parts of one message that are named; of a full message that is wrong throughout the rest is only counted. */
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

/** Adds to the counts that the pages of devices tell of, of devices that the tenant has. The caller announces it. */
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
    select ${tx.tenant}, told.* from unnest(
      ${column('deviceId')}::uuid[], ${column('reason')}::text[], ${column('count')}::bigint[],
      ${times('first')}::timestamptz[], ${times('last')}::timestamptz[],
      ${these.map(({ field }) => (field === undefined ? null : storable(field)))}::text[]
    ) as told (device_id, reason, count, first_at, last_at, field)
    order by told.device_id, told.reason
    on conflict (tenant_id, device_id, reason) do update set
      count = known.count + excluded.count, last_at = greatest(known.last_at, excluded.last_at),
      field = case when excluded.last_at >= known.last_at then excluded.field else known.field end`.execute(tx)
  await changedQuietly(tx, 'device state', ids)
  await makeDue(tx, 'forget bad messages', new Date(Date.now() + badMessagesKeptFor))
}

/** Stores bad messages of devices that the tenant has; for others there is nobody who could read them. */
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
