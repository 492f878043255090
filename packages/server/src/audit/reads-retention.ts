import { sql } from 'kysely'
import { readsKeptFor } from '@caretaker/rules/audit/reads.ts'
import type { Context } from '../context.ts'
import { deletedAtOnce, doDue, inBatches } from '../postgres/due.ts'
import { openDb } from '../postgres/pool.ts'
import type { TenantTx } from '../postgres/tenant.ts'
import { inTenant } from '../postgres/tenant.ts'

/**
 * Deletes old entries from the log of personal-data views; returns how many. Runs as the owner: the application role
 * only reads it.
 */
export async function forgetReads({ owner }: Pick<Context, 'owner'>, now = new Date()): Promise<number> {
  const db = openDb(owner)
  const oldest = new Date(+now - readsKeptFor)
  return doDue(db, {
    work: 'forget personal data reads',
    now,
    run: (tenant) => inBatches(() => inTenant(db, tenant, (tx) => deleteBefore(tx, oldest))),
    next: async (tx) => {
      const { first } = await tx
        .selectFrom('personal_data_read')
        .select((eb) => eb.fn.min<Date | null>('last_at').as('first'))
        .where('tenant_id', '=', tx.tenant)
        .executeTakeFirstOrThrow()
      return first && new Date(+first + readsKeptFor)
    },
  })
}

async function deleteBefore(tx: TenantTx, oldest: Date): Promise<number> {
  const { numAffectedRows } = await sql`
    delete from personal_data_read where tenant_id = ${tx.tenant} and id in (
      select id from personal_data_read where tenant_id = ${tx.tenant} and last_at <= ${oldest}
      limit ${deletedAtOnce})`.execute(tx)
  return Number(numAffectedRows)
}
