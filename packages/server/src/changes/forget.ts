import { sql } from 'kysely'
import { deletedAtOnce, doDue, inBatches } from '../postgres/due.ts'
import type { Db } from '../postgres/pool.ts'
import { inTenant } from '../postgres/tenant.ts'
import { keptFor } from './changed.ts'

/** Deletes expired feed rows; returns how many. */
export async function forgetChanges(db: Db, now = new Date()): Promise<number> {
  return doDue(db, {
    work: 'forget changes',
    now,
    run: (tenant) => inBatches(() => forgetSome(db, tenant, new Date(now.getTime() - keptFor))),
    next: async (tx) => {
      const { oldest } = await tx
        .selectFrom('change')
        .select((eb) => eb.fn.min<Date | null>('at').as('oldest'))
        .where('tenant_id', '=', tx.tenant)
        .executeTakeFirstOrThrow()
      return oldest && new Date(oldest.getTime() + keptFor)
    },
  })
}

/** Only the oldest are checked: rows are in the order of their transactions, which is roughly that of their times. */
async function forgetSome(db: Db, tenant: string, oldest: Date): Promise<number> {
  return inTenant(db, tenant, async (tx) => {
    const { numAffectedRows } = await sql`
      delete from change where tenant_id = ${tx.tenant} and (position, seq) in (
        select position, seq from (
          select position, seq, at from change where tenant_id = ${tx.tenant} order by position, seq limit ${deletedAtOnce}
        ) as first where at <= ${oldest})`.execute(tx)
    return Number(numAffectedRows)
  })
}
