import { doDue } from '../postgres/due.ts'
import type { Db } from '../postgres/pool.ts'
import type { TenantTx } from '../postgres/tenant.ts'
import { inTenant } from '../postgres/tenant.ts'
import { keptFor } from './store.ts'

/** Deletes bulk actions that finished long ago, with the results of their devices; returns how many. */
export async function forgetBulkActions(db: Db, now = new Date()): Promise<number> {
  return doDue(db, {
    work: 'forget bulk actions',
    now,
    run: (tenant) => inTenant(db, tenant, (tx) => deleteBefore(tx, new Date(now.getTime() - keptFor))),
    next: async (tx) => {
      const { oldest } = await tx
        .selectFrom('bulk_action')
        // A running action ends now at the earliest.
        .select((eb) => eb.fn.min(eb.fn.coalesce('finished_at', eb.val(now))).as('oldest'))
        .where('tenant_id', '=', tx.tenant)
        .executeTakeFirstOrThrow()
      return oldest && new Date(oldest.getTime() + keptFor)
    },
  })
}

async function deleteBefore(tx: TenantTx, oldest: Date): Promise<number> {
  const { numDeletedRows } = await tx
    .deleteFrom('bulk_action')
    .where('tenant_id', '=', tx.tenant)
    .where('finished_at', '<=', oldest)
    .executeTakeFirstOrThrow()
  return Number(numDeletedRows)
}
