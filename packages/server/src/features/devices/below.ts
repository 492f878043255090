import { sql } from 'kysely'
import type { Product } from '@caretaker/rules/devices/products.ts'
import type { Actor } from '@caretaker/rules/identity/actor.ts'
import { can } from '@caretaker/rules/rights/can.ts'
import type { TenantTx } from '../../postgres/tenant.ts'

/** How far a device may be below its module: an extender and a gateway may stand between them. */
const deepest = 4

/** A device that speaks through another one. */
export interface DeviceBelow {
  id: string
  serial: string
  product: Product
}

/** The devices that speak through this one, as far as the actor may see them, by their serial numbers. */
export async function devicesBelow(tx: TenantTx, actor: Actor, deviceId: string): Promise<DeviceBelow[]> {
  const { rows } = await sql<DeviceBelow & { status: string; inWholesale: boolean; tag: string | null }>`
    with recursive below as (
      select id, 0 as step from device where device.tenant_id = ${tx.tenant} and id = ${deviceId}
      union
      select device.id, step + 1
      from below join device on device.tenant_id = ${tx.tenant} and device.parent_id = below.id
      where step < ${deepest}
    )
    select id, serial, product, status, in_wholesale as "inWholesale", access_rights_tag_id as tag
    from device
    where device.tenant_id = ${tx.tenant} and id in (select id from below where step > 0) and id <> ${deviceId}
    order by serial`.execute(tx)
  return rows.filter(({ tag, ...device }) =>
    can(actor, 'see device', { ...device, accessRightsTags: tag ? [tag] : [] }),
  )
}
