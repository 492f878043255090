import { sql } from 'kysely'
import { deletedAtOnce, doDue, inBatches } from '../postgres/due.ts'
import type { Db } from '../postgres/pool.ts'
import { inTenant } from '../postgres/tenant.ts'
import { keptFor } from './changed.ts'

/** Deletes what the feed is no longer asked for. Returns how many rows. */
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

/** The oldest are looked at alone: rows stand in the order of their transactions, which is about that of their times. */
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
