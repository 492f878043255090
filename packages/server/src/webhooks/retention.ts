import { sql } from 'kysely'
import { deliveriesKeptFor } from '@caretaker/rules/webhooks/webhooks.ts'
import { deletedAtOnce, doDue, inBatches } from '../postgres/due.ts'
import type { Db } from '../postgres/pool.ts'
import type { TenantTx } from '../postgres/tenant.ts'
import { inTenant } from '../postgres/tenant.ts'

/** Deletes old messages with their results; returns how many. */
export async function forgetWebhooks(db: Db, now = new Date()): Promise<number> {
  const oldest = new Date(now.getTime() - deliveriesKeptFor)
  return doDue(db, {
    work: 'forget webhooks',
    now,
    run: (tenant) => inBatches(() => inTenant(db, tenant, (tx) => deleteBefore(tx, oldest))),
    next: async (tx) => {
      const { first } = await tx
        .selectFrom('webhook_message')
        .select((eb) => eb.fn.min('written_at').as('first'))
        .where('tenant_id', '=', tx.tenant)
        .executeTakeFirstOrThrow()
      return first && new Date(first.getTime() + deliveriesKeptFor)
    },
  })
}

async function deleteBefore(tx: TenantTx, oldest: Date): Promise<number> {
  const { numAffectedRows } = await sql`
    delete from webhook_message where tenant_id = ${tx.tenant} and id in (
      select id from webhook_message where tenant_id = ${tx.tenant} and written_at <= ${oldest}
      limit ${deletedAtOnce})`.execute(tx)
  return Number(numAffectedRows)
}
