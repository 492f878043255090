import { sql } from 'kysely'
import { makeDue } from './due.ts'
import type { TenantTx } from './tenant.ts'

/**
 * Says that the tags, the product, the access rights tag or the home of devices change. Who moves them says it before and after.
 * It waits for nobody: the caller holds devices, and others hold homes before they hold their devices.
 */
export async function retagged(tx: TenantTx, deviceIds: readonly string[]): Promise<void> {
  const { numAffectedRows } = await sql`
    insert into property_retagged (tenant_id, property_id)
    select distinct ${tx.tenant}, property_id from device
    where tenant_id = ${tx.tenant} and id = any(${deviceIds}::uuid[]) and property_id is not null
    on conflict do nothing`.execute(tx)
  if (numAffectedRows) await makeDue(tx, 'settle homes')
}
