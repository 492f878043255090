import { doDue } from '../../postgres/due.ts'
import type { Db } from '../../postgres/pool.ts'
import { inTenant } from '../../postgres/tenant.ts'
import { draftsKept } from './store.ts'

/** Deletes the records that never got their certificate, in all tenants; returns how many. */
export async function forgetDrafts(db: Db, now = new Date()): Promise<number> {
  return doDue(db, {
    work: 'forget record drafts',
    now,
    run: (tenant) =>
      inTenant(db, tenant, async (tx) => {
        const { numDeletedRows } = await tx
          .deleteFrom('compliance_record')
          .where('tenant_id', '=', tx.tenant)
          .where('is_draft', '=', true)
          .where('created_at', '<=', new Date(+now - draftsKept))
          .executeTakeFirstOrThrow()
        return Number(numDeletedRows)
      }),
    next: async (tx) => {
      const first = await tx
        .selectFrom('compliance_record')
        .select('created_at')
        .where('tenant_id', '=', tx.tenant)
        .where('is_draft', '=', true)
        .orderBy('created_at')
        .limit(1)
        .executeTakeFirst()
      return first ? new Date(+first.created_at + draftsKept) : null
    },
  })
}
