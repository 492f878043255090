import { sql } from 'kysely'
import { deletedAtOnce, doDue, inBatches } from '../postgres/due.ts'
import type { Db } from '../postgres/pool.ts'
import type { TenantTx } from '../postgres/tenant.ts'
import { inTenant } from '../postgres/tenant.ts'
import { badMessagesKeptFor } from './bad-messages.ts'

/** Deletes the bad messages of the days before; returns how many. */
export async function forgetBadMessages(db: Db, now = new Date()): Promise<number> {
  const oldest = new Date(now.getTime() - badMessagesKeptFor)
  return doDue(db, {
    work: 'forget bad messages',
    now,
    run: (tenant) => inBatches(() => inTenant(db, tenant, (tx) => deleteBefore(tx, oldest))),
    next: async (tx) => {
      const { first } = await tx
        .selectFrom('bad_message')
        .select((eb) => eb.fn.min('at').as('first'))
        .where('tenant_id', '=', tx.tenant)
        .executeTakeFirstOrThrow()
      return first && new Date(first.getTime() + badMessagesKeptFor)
    },
  })
}

async function deleteBefore(tx: TenantTx, oldest: Date): Promise<number> {
  const { numAffectedRows } = await sql`
    delete from bad_message where tenant_id = ${tx.tenant} and id in (
      select id from bad_message where tenant_id = ${tx.tenant} and at <= ${oldest} limit ${deletedAtOnce})`.execute(tx)
  return Number(numAffectedRows)
}
