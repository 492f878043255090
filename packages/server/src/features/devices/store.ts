import { sql } from 'kysely'
import type { Device } from '@caretaker/contract/devices.ts'
import { refuse } from '@caretaker/contract/refusal.ts'
import { faultIn, isThermostat, supportsRemoteReset } from '@caretaker/rules/devices/fault.ts'
import { products } from '@caretaker/rules/devices/products.ts'
import type { DeviceStatus } from '@caretaker/rules/devices/status.ts'
import type { Actor } from '@caretaker/rules/identity/actor.ts'
import type { DeviceSubject } from '@caretaker/rules/devices/rights.ts'
import { isReadOnly, userCanUpdateAccessRightsTag } from '@caretaker/rules/devices/rights.ts'
import { can } from '@caretaker/rules/rights/can.ts'
import type { DetailListing } from '@caretaker/rules/devices/list.ts'
import { deviceVersion } from '../../devices/version.ts'
import type { TenantTx } from '../../postgres/tenant.ts'
import { hidesPersonalData } from '@caretaker/rules/identity/actor.ts'
import { reasonsOf } from '../conditions/store.ts'
import { complianceOf } from './compliance.ts'
import { isOfConnection, joined } from './visible.ts'

/** The facts about a device that permission checks need. */
export interface KnownDevice extends DeviceSubject {
  id: string
  serial: string
  name: string
  status: DeviceStatus
  statusSince: Date
  parentId: string | null
  reportingInterval: number
}

/**
 * The device as the actor may see it. Devices that do not exist, belong to another tenant or are hidden from the
 * actor are refused alike: not found.
 */
export async function findDevice(tx: TenantTx, actor: Actor, deviceId: string): Promise<KnownDevice> {
  return (await findDevices(tx, actor, [deviceId])).get(deviceId)!
}

/** Devices by id; refuses as `findDevice` does if the actor may not see one of them. */
export async function findDevices(
  tx: TenantTx,
  actor: Actor,
  deviceIds: readonly string[],
): Promise<Map<string, KnownDevice>> {
  const rows = await tx
    .selectFrom('device')
    .where('tenant_id', '=', tx.tenant)
    .where(sql<boolean>`id = any(${deviceIds}::uuid[])`)
    .select([
      'id',
      'serial',
      'name',
      'product',
      'status',
      'status_at',
      'in_wholesale',
      'parent_id',
      'access_rights_tag_id',
      'reporting_interval',
    ])
    .select(isOfConnection(tx))
    .execute()
  const devices = rows.map((row) => ({
    id: row.id,
    serial: row.serial,
    name: row.name,
    product: row.product,
    status: row.status,
    statusSince: row.status_at,
    inWholesale: row.in_wholesale,
    accessRightsTags: row.access_rights_tag_id ? [row.access_rights_tag_id] : [],
    parentId: row.parent_id,
    reportingInterval: row.reporting_interval,
    isOfConnection: row.is_of_connection,
  }))
  const known = new Map(devices.filter((device) => can(actor, 'see device', device)).map((one) => [one.id, one]))
  if (!deviceIds.every((id) => known.has(id))) throw refuse('not found')
  return known
}

/** Everything on the device page; refuses as `findDevice` does, and for a device of another listing. */
export async function deviceInFull(
  tx: TenantTx,
  actor: Actor,
  deviceId: string,
  listing: DetailListing,
): Promise<Device> {
  const known = await findDevice(tx, actor, deviceId)
  const version = await deviceVersion(tx, deviceId)
  const row = await joined(tx)
    .where('device.id', '=', deviceId)
    .where('device.listing', '=', listing)
    .selectAll('device')
    .select(['parent.name as parent_name', 'parent.serial as parent_serial'])
    .executeTakeFirst()
  if (!row) throw refuse('not found')
  const readOnly = isReadOnly(actor, known)
  const hidden = hidesPersonalData(actor)
  return {
    deviceId: row.id,
    deviceName: row.name,
    deviceType: products[row.product].name,
    productId: row.product,
    serialNumber: row.serial,
    deviceStatus: row.status,
    statusSince: row.status_at.toISOString(),
    statusReason: (await reasonsOf(tx, [deviceId])).get(deviceId) ?? null,
    connectionStatus: row.connection_status,
    lastHeard: row.heard_at?.toISOString() ?? null,
    inWholesale: row.in_wholesale,
    isOfConnection: known.isOfConnection!,
    lat: row.latitude,
    long: row.longitude,
    buildingId: row.building_id,
    buildingName: row.building_name,
    building: row.building_name,
    floorName: row.floor_name,
    floor: row.floor_number,
    room: row.room,
    group: null,
    tags: row.tags.map((tag) => tag.id),
    tagIds: row.tags.map((tag) => tag.id),
    tagNames: row.tags.map((tag) => tag.name),
    accessRightsTag: row.access_rights_tag_id
      ? { id: row.access_rights_tag_id, displayName: row.access_rights_name ?? '' }
      : null,
    propertyId: row.property_id,
    address: hidden ? null : [row.address, row.postcode].filter(Boolean).join(', ') || null,
    location: row.location,
    locationDetails: row.location_details,
    powerClamps: row.power_clamps as Record<string, string> | null,
    reported: row.reported,
    parent:
      row.parent_id && row.parent_serial
        ? {
            deviceId: row.parent_id,
            deviceName: row.parent_name!,
            serialNumber: row.parent_serial,
            productId: row.parent_product!,
          }
        : null,
    fault: faultIn(row.reported),
    messagesNotTaken: await messagesNotTaken(tx, row.id),
    uninstalledAt: await uninstalledAt(tx, row.id),
    remoteResetSupported: supportsRemoteReset(row.reported),
    gasSafety: complianceOf('GasSafety', row),
    waterTreatment: complianceOf('WaterTreatment', row),
    isThermostatWithHomeHub: row.with_hub && isThermostat(row.reported),
    userHasReadOnlyAccess: readOnly,
    userCanUpdateAccessRightsTag: userCanUpdateAccessRightsTag(actor, known),
    tenant: tx.tenant,
    version,
  }
}

/** The time since which a device has been refused because it was uninstalled. */
async function uninstalledAt(tx: TenantTx, deviceId: string): Promise<string | null> {
  const route = await tx
    .selectFrom('device_route')
    .select('uninstalled_at')
    .where('tenant_id', '=', tx.tenant)
    .where('device_id', '=', deviceId)
    .executeTakeFirst()
  return route?.uninstalled_at?.toISOString() ?? null
}

/** The rejected messages of a device within the last day, the latest reason first. */
export async function messagesNotTaken(tx: TenantTx, deviceId: string): Promise<Device['messagesNotTaken']> {
  const rows = await tx
    .selectFrom('refused_message')
    .select(['reason', 'count', 'first_at', 'last_at', 'field'])
    .where('tenant_id', '=', tx.tenant)
    .where('device_id', '=', deviceId)
    .orderBy('last_at', 'desc')
    .orderBy('reason')
    .execute()
  return rows.map((row) => ({
    reason: row.reason,
    count: row.count,
    since: row.first_at.toISOString(),
    last: row.last_at.toISOString(),
    field: row.field,
  }))
}
