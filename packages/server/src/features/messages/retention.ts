import { sql } from 'kysely'
import { deletedAtOnce, doDue, inBatches } from '../../postgres/due.ts'
import type { Db } from '../../postgres/pool.ts'
import type { TenantTx } from '../../postgres/tenant.ts'
import { inTenant } from '../../postgres/tenant.ts'
import { messagesKeptFor } from './store.ts'

/** Deletes what devices said longer ago than it is kept; returns how many messages. */
export async function forgetMessages(db: Db, now = new Date()): Promise<number> {
  const oldest = new Date(now.getTime() - messagesKeptFor)
  return doDue(db, {
    work: 'forget messages',
    now,
    run: (tenant) => inBatches(() => inTenant(db, tenant, (tx) => deleteBefore(tx, oldest))),
    next: async (tx) => {
      const { first } = await tx
        .selectFrom('device_message')
        .select((eb) => eb.fn.min<Date | null>('at').as('first'))
        .where('tenant_id', '=', tx.tenant)
        .executeTakeFirstOrThrow()
      // Whoever keeps more does not say so each time: as long as there are some, they are looked at.
      return first && new Date(Math.max(first.getTime() + messagesKeptFor, now.getTime()))
    },
  })
}

async function deleteBefore(tx: TenantTx, oldest: Date): Promise<number> {
  const { numAffectedRows } = await sql`
    delete from device_message where tenant_id = ${tx.tenant} and (device_id, at, id) in (
      select device_id, at, id from device_message
      where tenant_id = ${tx.tenant} and at <= ${oldest} order by at limit ${deletedAtOnce})`.execute(tx)
  return Number(numAffectedRows)
}
