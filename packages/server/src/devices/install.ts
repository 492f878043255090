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

/** Puts held devices into inventory, in one writing of each row: without place, tags and tests, and with the status that no conditions come to. */
export async function returnToInventory(
  tx: TenantTx,
  person: Recorded,
  devices: readonly InstalledDevice[],
  now: Date,
): Promise<void> {
  const ids = devices.map(({ deviceId }) => deviceId)
  // Which building a light has left is asked years later.
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
      // The status that their conditions will come to, written with the rest.
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
      // As of a device without records.
      gas_due_at: null,
      gas_state: null,
      water_due_at: null,
      water_state: null,
      compliance_turns_at: null,
      ...noPlace,
      desired: {},
      // What it reports of its hardware stays true; what it reported of its work there does not.
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

/** Puts a held device into service, behind the gateway to which its connection belongs. */
export async function putIntoService(
  tx: TenantTx,
  person: Recorded,
  { deviceId, serial, status }: NamedDevice & { status: DeviceStatus },
  gatewayId: string | null,
): Promise<void> {
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
