import { sql } from 'kysely'
import type { TenantTx } from '../../postgres/tenant.ts'

/** How far below a module its devices may be: a hub or an extender may stand between them. */
const deepest = 4
/** More than any home has; of a module that serves a house the first are enough for its page. */
const mostConnected = 200

/** Ids of the devices that speak through this one, or through what does. */
export async function idsBelow(tx: TenantTx, deviceId: string): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    with recursive below as (
      select id, 1 as step from device where device.tenant_id = ${tx.tenant} and parent_id = ${deviceId}
      union all
      select device.id, step + 1
      from below join device on device.tenant_id = ${tx.tenant} and device.parent_id = below.id
      where step < ${deepest}
    )
    select id from below limit ${mostConnected}`.execute(tx)
  return rows.map(({ id }) => id)
}
