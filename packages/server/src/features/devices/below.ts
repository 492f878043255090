import { sql } from 'kysely'
import type { TenantTx } from '../../postgres/tenant.ts'

/** How many levels devices may be below a module: a hub or an extender may be in between. */
const deepest = 4
/** More than any property has; for a module that serves a whole building, the first ones are enough for its page. */
const mostConnected = 200

/** Ids of the devices connected through this one, directly or indirectly. */
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
