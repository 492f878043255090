import type { Db } from '../../postgres/pool.ts'
import type { TenantTx } from '../../postgres/tenant.ts'
import { inTenant } from '../../postgres/tenant.ts'

/**
 * All series of a tenant in batches. Data older than a time is found series by series: there is no index by time
 * alone, because its cost for writers would be too high.
 */
export async function* seriesOf(db: Db, tenant: string, size = 500): AsyncGenerator<number[]> {
  for (let after = 0; ;) {
    const rows = await inTenant(db, tenant, (tx) =>
      tx
        .selectFrom('series')
        .select('id')
        .where('tenant_id', '=', tenant)
        .where('id', '>', after)
        .orderBy('id')
        .limit(size)
        .execute(),
    )
    if (!rows.length) return
    yield rows.map((row) => row.id)
    after = rows.at(-1)!.id
  }
}

/** Whether the tenant measures anything. */
export async function hasSeries(tx: TenantTx): Promise<boolean> {
  const row = await tx.selectFrom('series').select('id').where('tenant_id', '=', tx.tenant).limit(1).executeTakeFirst()
  return row !== undefined
}
