import { sql } from 'kysely'
import { keptFor } from '@caretaker/rules/api-keys/idempotency.ts'
import { deletedAtOnce, doDue, inBatches } from '../postgres/due.ts'
import type { Db } from '../postgres/pool.ts'
import type { TenantTx } from '../postgres/tenant.ts'
import { inTenant } from '../postgres/tenant.ts'

/** Deletes expired idempotency keys with their responses; returns how many. */
export async function forgetIdempotencyKeys(db: Db, now = new Date()): Promise<number> {
  const oldest = new Date(+now - keptFor)
  return doDue(db, {
    work: 'forget idempotency keys',
    now,
    run: (tenant) => inBatches(() => inTenant(db, tenant, (tx) => deleteBefore(tx, oldest))),
    next: async (tx) => {
      const { first } = await tx
        .selectFrom('idempotency_key')
        .select((eb) => eb.fn.min<Date | null>('started_at').as('first'))
        .where('tenant_id', '=', tx.tenant)
        .executeTakeFirstOrThrow()
      return first && new Date(+first + keptFor)
    },
  })
}

async function deleteBefore(tx: TenantTx, oldest: Date): Promise<number> {
  const { numAffectedRows } = await sql`
    delete from idempotency_key where tenant_id = ${tx.tenant} and (person_id, key_hash) in (
      select person_id, key_hash from idempotency_key where tenant_id = ${tx.tenant} and started_at <= ${oldest}
      limit ${deletedAtOnce})`.execute(tx)
  return Number(numAffectedRows)
}
