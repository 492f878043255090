import { sql } from 'kysely'
import type { DeviceStatus } from '@caretaker/rules/devices/status.ts'
import { severityOf } from '@caretaker/rules/devices/status.ts'
import type { TenantTx } from '../postgres/tenant.ts'
import { noPlace } from '../projections/copied-places.ts'
import type { Recorded } from '../projections/events/audit.ts'
import type { NamedDevice } from '../projections/events/devices.ts'
import { record } from '../projections/record.ts'

interface InstalledDevice extends NamedDevice {
  status: DeviceStatus
  accessRightsTagId: string | null
}

/**
 * Puts locked devices into inventory with one write per row: without place, tags and tests, and with the status of a
 * device without conditions. The caller announces their routes, which ends their connections.
 */
export async function returnToInventory(
  tx: TenantTx,
  person: Recorded,
  devices: readonly InstalledDevice[],
  now: Date,
): Promise<void> {
  const ids = devices.map(({ deviceId }) => deviceId)
  // Also raises the version of the route, so that processes that store readings look up the device's series again.
  await sql`
    update device_route set uninstalled_at = ${now}
    where tenant_id = ${tx.tenant} and device_id = any(${ids}::uuid[])`.execute(tx)
  // Years later people still ask from which building a light was removed.
  const places = await tx
    .selectFrom('device')
    .select(['id', 'building_id', 'building_name', 'property_id'])
    .where('tenant_id', '=', tx.tenant)
    .where(sql<boolean>`id = any(${ids}::uuid[])`)
    .execute()
  const placeOf = new Map(places.map((place) => [place.id, place]))
  await tx
    .deleteFrom('device_tag')
    .where('tenant_id', '=', tx.tenant)
    .where(sql<boolean>`device_id = any(${ids}::uuid[])`)
    .execute()
  await tx
    .updateTable('device')
    .set({
      // The status that their conditions will result in, written with the rest.
      status: 'Inventory',
      severity: severityOf('Inventory'),
      status_at: now,
      building_id: null,
      floor_id: null,
      property_id: null,
      parent_id: null,
      access_rights_tag_id: null,
      room: null,
      location: null,
      location_details: null,
      power_clamps: null,
      latitude: null,
      longitude: null,
      last_test_at: null,
      last_full_test_at: null,
      // As for a device without records.
      gas_due_at: null,
      gas_state: null,
      water_due_at: null,
      water_state: null,
      compliance_turns_at: null,
      ...noPlace,
      desired: {},
      // What it reported about its hardware stays valid; what it reported about its former place does not.
      reported: sql`reported - 'fault' - 'faultCode' - 'installedAs'`,
    })
    .where('tenant_id', '=', tx.tenant)
    .where(sql<boolean>`id = any(${ids}::uuid[])`)
    .execute()
  record(
    tx,
    devices.map(({ deviceId, serial, status, accessRightsTagId }) => {
      const place = placeOf.get(deviceId)
      const building = place?.building_id ? { building: place.building_name } : undefined
      return {
        ...{ type: 'DeviceUninstalled', deviceId, serial, by: person },
        before: { status, ...building },
        after: { status: 'Inventory', ...(building && { building: null }) },
        ...{ propertyId: place?.property_id ?? null, accessRightsTagId },
      }
    }),
  )
}

/** Puts a locked device into service with its former key, connected through its gateway. The caller announces its route. */
export async function putIntoService(
  tx: TenantTx,
  person: Recorded,
  { deviceId, serial, status }: NamedDevice & { status: DeviceStatus },
): Promise<void> {
  const route = await tx
    .updateTable('device_route')
    .set({ uninstalled_at: null })
    .where('tenant_id', '=', tx.tenant)
    .where('device_id', '=', deviceId)
    .returning('parent_id')
    .executeTakeFirst()
  const gatewayId = route?.parent_id ?? null
  if (gatewayId !== null)
    await sql`
      update device set parent_id = gateway.id from device as gateway
      where device.tenant_id = ${tx.tenant} and device.id = ${deviceId}
        and gateway.tenant_id = ${tx.tenant} and gateway.id = ${gatewayId}`.execute(tx)
  record(tx, [
    {
      ...{ type: 'DeviceInstalled', deviceId, serial, by: person },
      ...{ before: { status }, after: { status: 'Installed' } },
    },
  ])
}
