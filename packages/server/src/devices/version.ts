import { sql } from 'kysely'
import { expectCurrent, versionOf } from '../edit-version.ts'
import type { TenantTx } from '../postgres/tenant.ts'

/**
 * The version of a device's details that people edit: name, place, tags, requested settings and equipment. Read it
 * before the details: if they change in between, a change based on them is rejected instead of overwriting.
 */
export async function deviceVersion(tx: TenantTx, deviceId: string): Promise<number> {
  const { rows } = await sql<{ details: unknown[] }>`
    select jsonb_build_array(
      name, building_id, floor_id, property_id, room, location, location_details, latitude, longitude,
      is_roughly_placed, access_rights_tag_id, desired,
      (select jsonb_agg(tag_id order by tag_id) from device_tag
        where tenant_id = ${tx.tenant} and device_id = ${deviceId}),
      (select to_jsonb(equipment) from emergency_equipment as equipment
        where tenant_id = ${tx.tenant} and device_id = ${deviceId})
    ) as details
    from device where tenant_id = ${tx.tenant} and id = ${deviceId}`.execute(tx)
  return versionOf(rows[0]?.details ?? null)
}

/** Rejects a change to a locked device that is based on another version of its details. */
export async function expectDeviceVersion(tx: TenantTx, deviceId: string, version: number | undefined): Promise<void> {
  if (version !== undefined) expectCurrent(await deviceVersion(tx, deviceId), version, 'this device')
}
