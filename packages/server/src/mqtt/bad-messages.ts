import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { makeDue } from '../postgres/due.ts'
import type { TenantTx } from '../postgres/tenant.ts'
import type { Fault } from './door.ts'

/** A message that was set aside, as developers see it in the device's Messages tab. */
export interface BadMessage extends Fault {
  id: string
  /** Who sent it; the one it speaks about when a broker has let it in. */
  deviceId: string
  at: Date
  channel: string
  payload: string
}

/** Milliseconds: developers look at them while they try a device. */
export const badMessagesKeptFor = 86_400_000
const payloadKept = 2048
const channelKept = 200

export function badMessage(deviceId: string, channel: string, payload: Buffer, at: Date, fault: Fault): BadMessage {
  return {
    id: randomUUID(),
    deviceId,
    at,
    channel: storable(channel.slice(0, channelKept)),
    payload: storable(payload.subarray(0, payloadKept).toString()),
    reason: fault.reason,
    detail: storable(fault.detail),
  }
}

const storable = (text: string) => text.replaceAll('\0', '\uFFFD').toWellFormed()

/** Stores bad messages of devices that the tenant has; for others there is nobody who could read them. */
export async function storeBadMessages(tx: TenantTx, messages: BadMessage[]): Promise<void> {
  const column = <K extends keyof BadMessage>(key: K) => messages.map((message) => message[key])
  await sql`
    insert into bad_message (tenant_id, id, device_id, at, channel, reason, detail, payload)
    select ${tx.tenant}, bad.* from unnest(
      ${column('id')}::uuid[], ${column('deviceId')}::uuid[], ${messages.map(({ at }) => at.toISOString())}::timestamptz[],
      ${column('channel')}::text[], ${column('reason')}::text[], ${column('detail')}::text[], ${column('payload')}::text[]
    ) as bad (id, device_id, at, channel, reason, detail, payload)
    where exists (select from device where device.tenant_id = ${tx.tenant} and device.id = bad.device_id)
    order by bad.id
    on conflict do nothing`.execute(tx)
  await makeDue(tx, 'forget bad messages', new Date(Date.now() + badMessagesKeptFor))
}
