import { sql } from 'kysely'
import type { HandoverDevice } from '@caretaker/contract/links.ts'
import { noAssociatedBcm } from '@caretaker/contract/links.ts'
import { refuse } from '@caretaker/contract/refusal.ts'
import { isBcmOrGateway } from '@caretaker/rules/links/handover.ts'
import { products } from '@caretaker/rules/devices/products.ts'
import type { Actor } from '@caretaker/rules/identity/actor.ts'
import { isReadOnly } from '@caretaker/rules/devices/rights.ts'
import { tagsAllow } from '@caretaker/rules/identity/actor.ts'
import type { TenantTx } from '../../postgres/tenant.ts'
import { findDevice } from '../devices/store.ts'

/** The device with a serial number, as `findDevice` finds one by id. */
export async function deviceBySerial(tx: TenantTx, actor: Actor, serial: string): Promise<HandoverDevice> {
  const row = await tx
    .selectFrom('device')
    .where('tenant_id', '=', tx.tenant)
    .where('serial', '=', serial)
    .select('id')
    .executeTakeFirst()
  if (!row) throw refuse('not found')
  const device = await findDevice(tx, actor, row.id)
  return {
    ...named(device),
    deviceType: products[device.product].name,
    deviceStatus: device.status,
    inWholesale: device.inWholesale,
    userHasReadOnlyAccess: isReadOnly(actor, device),
    bcmOrGateway: null,
  }
}

/** The BCM or gateway with an id; any other device is not found. */
export async function bcmOrGateway(
  tx: TenantTx,
  actor: Actor,
  deviceId: string,
): Promise<HandoverDevice['bcmOrGateway']> {
  const device = await findDevice(tx, actor, deviceId)
  if (!isBcmOrGateway(device.product)) throw refuse('not found')
  return named(device)
}

const named = ({ id, name, serial, product }: Awaited<ReturnType<typeof findDevice>>) => ({
  deviceId: id,
  deviceName: name,
  serialNumber: serial,
  productId: product,
})

/** How many levels a device may be below its module: there may be an extender and a gateway in between. */
const deepest = 4

/**
 * The boiler control module that the device is connected through, or the device itself if it is one. A module that
 * the actor may not see counts as missing.
 */
export async function associatedBcm(tx: TenantTx, actor: Actor, deviceId: string): Promise<string> {
  const { id } = await findDevice(tx, actor, deviceId)
  const { rows } = await sql<{ id: string; tag: string | null }>`
    with recursive above as (
      select id, product, parent_id, access_rights_tag_id as tag, 0 as step
      from device where device.tenant_id = ${tx.tenant} and id = ${id}
      union all
      select device.id, device.product, device.parent_id, device.access_rights_tag_id, step + 1
      from above join device on device.tenant_id = ${tx.tenant} and device.id = above.parent_id
      where step < ${deepest}
    )
    select id, tag from above where product in ('BX', 'BC') order by step limit 1`.execute(tx)
  const [bcm] = rows
  if (!bcm || !tagsAllow(actor, { accessRightsTags: bcm.tag ? [bcm.tag] : [] }))
    throw refuse('refused', noAssociatedBcm)
  return bcm.id
}
