import type { Insertable } from 'kysely'
import { sql } from 'kysely'
import type { Changed } from '@caretaker/rules/audit/audit.ts'
import type { Database } from '../postgres/database.ts'
import type { TenantTx } from '../postgres/tenant.ts'
import type { Columns } from '../postgres/update-each.ts'
import { updateEach } from '../postgres/update-each.ts'
import type { Recorded } from '../projections/events/audit.ts'
import type { NamedDevice } from '../projections/events/devices.ts'
import { noPlace } from '../projections/copied-places.ts'
import { record } from '../projections/record.ts'

/** The texts of a device that share an index entry with the copies of its place. */
const ownTexts = ['name', 'room', 'location', 'location_details']

export interface NewDevice extends NamedDevice {
  row: Omit<Insertable<Database['device']>, 'tenant_id' | 'id'>
  /** Its connection key, if it gets one. */
  key?: { hash: Buffer; mosquittoHash: string; madeAt: Date }
  /** The created fields, for the audit log. */
  after: Changed
}

/** Adds devices with their routes. Returns the ids of those whose serial numbers are new to the tenant. */
export async function createDevices(
  tx: TenantTx,
  person: Recorded,
  devices: readonly NewDevice[],
): Promise<Set<string>> {
  if (!devices.length) return new Set()
  const rows = await tx
    .insertInto('device')
    .values(devices.map(({ deviceId, row }) => ({ ...row, tenant_id: tx.tenant, id: deviceId })))
    .onConflict((conflict) => conflict.doNothing())
    .returning('id')
    .execute()
  const ids = new Set(rows.map(({ id }) => id))
  const created = devices.filter(({ deviceId }) => ids.has(deviceId))
  if (!created.length) return ids
  await tx
    .insertInto('device_route')
    .values(
      created.map(({ deviceId, row, key }) => ({
        ...{ device_id: deviceId, tenant_id: tx.tenant, parent_id: row.parent_id ?? null },
        ...{
          key_hash: key?.hash ?? null,
          mosquitto_hash: key?.mosquittoHash ?? null,
          key_made_at: key?.madeAt ?? null,
        },
      })),
    )
    .execute()
  record(
    tx,
    created.map(({ deviceId, serial, after }) => ({
      ...{ type: 'DeviceCreated', deviceId, serial, by: person, before: null, after },
    })),
  )
  return ids
}

/** Changes to a device by an import. */
export interface ImportedDevice {
  deviceId: string
  columns: Columns
  /** Reported fields that the list also states. */
  reported: Record<string, unknown>
}

/** Writes the fields that a list states for locked devices. The caller records the import in the audit log. */
export async function importDevices(
  tx: TenantTx,
  devices: readonly ImportedDevice[],
  types: Readonly<Record<string, string>>,
): Promise<void> {
  const ids = devices.map(({ deviceId }) => deviceId)
  const before = await tx
    .selectFrom('device')
    .select(['id', 'property_id'])
    .where('tenant_id', '=', tx.tenant)
    .where(sql<boolean>`id = any(${ids}::uuid[])`)
    .execute()
  const homeOf = new Map(before.map((row) => [row.id, row.property_id]))
  await updateEach(tx, {
    ...{ table: 'device', ids, rows: devices.map(({ columns }) => columns), types },
    always: [
      sql`reported = jsonb_strip_nulls(device.reported || new.more)`,
      // The copies of the place may be too long next to the new texts; the event has them copied again.
      ...(devices.some(({ columns }) => ownTexts.some((text) => text in columns))
        ? Object.keys(noPlace).map((copy) => sql`${sql.ref(copy)} = null`)
        : []),
    ],
    more: devices.map(({ reported }) => JSON.stringify(reported)),
  })
  record(
    tx,
    ids.map((deviceId) => ({ type: 'DeviceImported', deviceId, leftPropertyId: homeOf.get(deviceId) ?? null })),
  )
}

/** Removes devices that an import added and that nothing refers to. */
export async function removeDevices(
  tx: TenantTx,
  person: Recorded,
  devices: readonly (NamedDevice & { before: Changed })[],
): Promise<void> {
  if (!devices.length) return
  const ids = devices.map(({ deviceId }) => deviceId)
  await tx
    .deleteFrom('device_route')
    .where('tenant_id', '=', tx.tenant)
    .where(sql<boolean>`device_id = any(${ids}::uuid[])`)
    .execute()
  const rows = await tx
    .deleteFrom('device')
    .where('tenant_id', '=', tx.tenant)
    .where(sql<boolean>`id = any(${ids}::uuid[])`)
    .returning(['id', 'property_id'])
    .execute()
  const homeOf = new Map(rows.map((row) => [row.id, row.property_id]))
  record(
    tx,
    devices.map(({ deviceId, serial, before }) => ({
      ...{ type: 'DeviceRemoved', deviceId, serial, by: person, before, after: null },
      propertyId: homeOf.get(deviceId) ?? null,
    })),
  )
}
