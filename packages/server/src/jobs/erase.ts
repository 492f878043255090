import { sql } from 'kysely'
import type { Db } from '../postgres/pool.ts'
import type { TenantTx } from '../postgres/tenant.ts'
import { inTenant } from '../postgres/tenant.ts'
import { tenantIds } from './walk.ts'

/** Series deleted in one transaction: one may have tens of thousands of readings. */
const batch = 5

/**
 * Deletes the readings of series that were taken away, and their sums. A while later once more, for good: who stores readings
 * may not have heard of it at once. Returns how many series.
 */
export async function eraseReadings(db: Db): Promise<number> {
  let erased = 0
  for (const tenant of await tenantIds(db))
    for (;;) {
      const count = await inTenant(db, tenant, eraseSome)
      erased += count
      if (count < batch) break
    }
  return erased
}

async function eraseSome(tx: TenantTx): Promise<number> {
  const rows = await tx
    .selectFrom('erasure')
    .select('series_id')
    .where('tenant_id', '=', tx.tenant)
    .where(sql<boolean>`erased_at is null or asked_at < now() - interval '10 minutes'`)
    .orderBy('series_id')
    .limit(batch)
    .forUpdate()
    .skipLocked()
    .execute()
  if (!rows.length) return 0
  const series = rows.map((row) => row.series_id)
  for (const table of ['point', 'hourly', 'daily'] as const)
    await tx
      .deleteFrom(table)
      .where('tenant_id', '=', tx.tenant)
      .where(sql<boolean>`series_id = any(${series}::bigint[])`)
      .execute()
  await tx
    .deleteFrom('erasure')
    .where('tenant_id', '=', tx.tenant)
    .where(sql<boolean>`series_id = any(${series}::bigint[])`)
    .where(sql<boolean>`asked_at < now() - interval '10 minutes'`)
    .execute()
  await tx
    .updateTable('erasure')
    .set({ erased_at: sql<Date>`now()` })
    .where('tenant_id', '=', tx.tenant)
    .where(sql<boolean>`series_id = any(${series}::bigint[])`)
    .execute()
  return rows.length
}
