import { sql } from 'kysely'
import { endViews } from '../../people/viewings.ts'
import { doDue } from '../../postgres/due.ts'
import type { Db } from '../../postgres/pool.ts'
import { inTenant } from '../../postgres/tenant.ts'

/** Ends the views that have expired: the browser may have been closed before. Returns how many. */
export async function endExpiredViews(db: Db, now = new Date()): Promise<number> {
  return doDue(db, {
    ...{ work: 'end views', now },
    run: (tenant) => inTenant(db, tenant, (tx) => endViews(tx, { until: now })),
    next: async (tx) => {
      const { rows } = await sql<{ first: Date | null }>`
        select min(ends_at) as first from viewing where tenant_id = ${tx.tenant}`.execute(tx)
      return rows[0]!.first
    },
  })
}
