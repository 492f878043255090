import { sql } from 'kysely'
import { deletedAtOnce, doDue, inBatches } from '../../postgres/due.ts'
import type { Db } from '../../postgres/pool.ts'
import type { TenantTx } from '../../postgres/tenant.ts'
import { inTenant } from '../../postgres/tenant.ts'
import { messagesKeptFor } from './store.ts'

/** Deletes messages beyond the retention period; returns how many. */
export async function forgetMessages(db: Db, now = new Date()): Promise<number> {
  const oldest = new Date(now.getTime() - messagesKeptFor)
  return doDue(db, {
    work: 'forget messages',
    now,
    run: (tenant) => inBatches(() => inTenant(db, tenant, (tx) => deleteBefore(tx, oldest))),
    next: async (tx) => {
      const first = await oldestOf(tx)
      // Storing a message does not schedule the job, so it stays due as long as there are messages.
      return first && new Date(Math.max(first.getTime() + messagesKeptFor, now.getTime()))
    },
  })
}

/** Read device by device, through the key: an index on time alone would be written with every message. */
const oldestOfEach = (tx: TenantTx, limit: number) => sql`
  device cross join lateral (
    select device_id, at, id from device_message
    where device_message.tenant_id = ${tx.tenant} and device_id = device.id order by at limit ${limit}) as message`

async function oldestOf(tx: TenantTx): Promise<Date | null> {
  const { rows } = await sql<{ first: Date | null }>`
    select min(message.at) as first from ${oldestOfEach(tx, 1)} where device.tenant_id = ${tx.tenant}`.execute(tx)
  return rows[0]!.first
}

async function deleteBefore(tx: TenantTx, oldest: Date): Promise<number> {
  const { numAffectedRows } = await sql`
    delete from device_message where tenant_id = ${tx.tenant} and (device_id, at, id) in (
      select message.device_id, message.at, message.id from ${oldestOfEach(tx, deletedAtOnce)}
      where device.tenant_id = ${tx.tenant} and message.at <= ${oldest} limit ${deletedAtOnce})`.execute(tx)
  return Number(numAffectedRows)
}
