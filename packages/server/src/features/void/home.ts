import { sql } from 'kysely'
import type { Product } from '@caretaker/rules/devices/products.ts'
import { productCodes } from '@caretaker/rules/devices/products.ts'
import { monitoringIn } from '@caretaker/rules/devices/monitoring.ts'
import type { DeviceStatus } from '@caretaker/rules/devices/status.ts'
import type { HomeDevice } from '@caretaker/rules/properties/void.ts'
import { concernsVoid } from '@caretaker/rules/properties/void.ts'
import type { TenantTx } from '../../postgres/tenant.ts'

/** A device with everything that void mode needs, and whether it is in a void property. */
export interface VoidDevice extends HomeDevice {
  propertyId: string | null
  isVoid: boolean
  desired: Record<string, unknown>
  inWholesale: boolean
  accessRightsTags: readonly string[]
}

/** Products to which void mode may send commands, whatever their model. */
export const concernedProducts = productCodes.filter((product) => concernsVoid({ product, model: 'F' }))

interface Row {
  id: string
  serial: string
  product: Product
  model: string
  status: DeviceStatus
  monitoring: string | null
  reported: Record<string, unknown>
  desired: Record<string, unknown>
  property_id: string | null
  in_wholesale: boolean
  access_rights_tag_id: string | null
  locked_out_since: Date | null
  is_void: boolean
}

const asVoidDevice = (row: Row): VoidDevice => ({
  deviceId: row.id,
  serialNumber: row.serial,
  product: row.product,
  model: row.model,
  status: row.status,
  monitoring: monitoringIn(row.monitoring),
  reported: row.reported,
  desired: row.desired,
  lockedOutSince: row.locked_out_since && +row.locked_out_since,
  propertyId: row.property_id,
  isVoid: row.is_void,
  inWholesale: row.in_wholesale,
  accessRightsTags: row.access_rights_tag_id ? [row.access_rights_tag_id] : [],
})

const columnsOf = (
  tx: TenantTx,
) => sql`device.id, device.serial, device.product, device.model, device.status, device.monitoring,
  device.reported, device.desired, device.property_id, device.in_wholesale, device.access_rights_tag_id,
  (select min(began_at) from condition where condition.tenant_id = ${tx.tenant} and condition.device_id = device.id
    and condition.ended_at is null and condition.kind = 'fault' and condition.key like 'boiler %') as locked_out_since`

/** Locks devices until the transaction ends, always in the order of their ids. */
export async function holdVoidDevices(tx: TenantTx, deviceIds: readonly string[]): Promise<VoidDevice[]> {
  const { rows } = await sql<Row>`
    select ${columnsOf(tx)}, coalesce(property.void_flag = 'Void', false) as is_void
    from device left join property on property.tenant_id = ${tx.tenant} and property.id = device.property_id
    where device.tenant_id = ${tx.tenant} and device.id = any(${deviceIds}::uuid[])
    order by device.id for no key update of device`.execute(tx)
  return rows.map(asVoidDevice)
}

/** All devices of a property, by serial number. */
export const devicesOfHome = (tx: TenantTx, propertyId: string) => devicesOfHomes(tx, [propertyId])

/** All devices of several properties. */
export async function devicesOfHomes(tx: TenantTx, propertyIds: readonly string[]): Promise<VoidDevice[]> {
  const { rows } = await sql<Row>`
    select ${columnsOf(tx)}, property.void_flag = 'Void' as is_void
    from device join property on property.tenant_id = ${tx.tenant} and property.id = device.property_id
    where device.tenant_id = ${tx.tenant} and device.property_id = any(${propertyIds}::uuid[])
    order by device.serial`.execute(tx)
  return rows.map(asVoidDevice)
}

/** Devices of void properties without an effect, or whose property has no firing planned; some need none. */
export async function lackingDevices(
  tx: TenantTx,
): Promise<{ device: VoidDevice; holds: boolean; isPlanned: boolean }[]> {
  const { rows } = await sql<Row & { holds: boolean; is_planned: boolean }>`
    select * from (
      select ${columnsOf(tx)}, true as is_void,
        exists (select from void_effect as effect
          where effect.tenant_id = ${tx.tenant} and effect.device_id = device.id and effect.is_held
            and effect.property_id = property.id) as holds,
        exists (select from void_firing as firing
          where firing.tenant_id = ${tx.tenant} and firing.property_id = property.id and firing.state = 'due') as is_planned
      from property join device on device.tenant_id = ${tx.tenant} and device.property_id = property.id
      where property.tenant_id = ${tx.tenant} and property.void_flag = 'Void'
        and device.product = any(${concernedProducts}::text[]) and (device.product <> 'PM' or device.model = 'F')
    ) as lacking where not holds or not is_planned`.execute(tx)
  return rows.map(({ holds, is_planned: isPlanned, ...row }) => ({ device: asVoidDevice(row), holds, isPlanned }))
}
