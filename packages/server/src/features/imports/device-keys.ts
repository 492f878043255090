import { sql } from 'kysely'
import { refuse } from '@caretaker/contract/refusal.ts'
import type { Recorded } from '../../audit/audit.ts'
import { changed } from '../../changes/changed.ts'
import { makeKeys } from '../../devices/keys.ts'
import { newDeviceKey } from '../../mqtt/device-keys.ts'
import { announceRoutes } from '../../mqtt/route-changes.ts'
import type { TenantTx } from '../../postgres/tenant.ts'

/** Keys written by one statement. */
const atOnce = 1000

/** The devices that a list created and that still exist. A revoked key is replaced on the page of its device. */
const madeBy = (tx: TenantTx, importId: string) => sql`
  from data_import_item item
  join device on device.tenant_id = ${tx.tenant} and device.id = item.target_id
  join device_route route on route.tenant_id = ${tx.tenant} and route.device_id = device.id
  left join device_link link on link.tenant_id = ${tx.tenant} and link.device_id = device.id
  where item.tenant_id = ${tx.tenant} and item.import_id = ${importId} and item.kind = 'device'
    and item.action = 'create' and item.state = 'done' and route.key_revoked_at is null`

/** The number of those devices without a key, and with a key that was never used. */
export async function countDeviceKeys(
  tx: TenantTx,
  importId: string,
): Promise<{ without: number; neverConnected: number }> {
  const { rows } = await sql<{ without: number; neverConnected: number }>`
    select (count(*) filter (where route.key_hash is null))::int as without,
      (count(*) filter (where route.key_hash is not null and link.heard_at is null))::int as "neverConnected"
    ${madeBy(tx, importId)}`.execute(tx)
  return rows[0]!
}

/** The credentials of a device. */
export interface DeviceKey {
  deviceId: string
  serial: string
  password: string
}

/**
 * Creates keys for the devices that a list created: those without a key and, with `renew`, those that never
 * connected. A key in use is never replaced. Refuses if there is no key to create.
 */
export async function makeDeviceKeys(
  tx: TenantTx,
  person: Recorded,
  { importId, renew }: { importId: string; renew: boolean },
): Promise<DeviceKey[]> {
  // Locked, so that of two simultaneous requests the second learns that the keys exist.
  const { rows } = await sql<{ id: string; serial: string; had: boolean }>`
    select device.id, device.serial, route.key_hash is not null as had ${madeBy(tx, importId)}
      and (route.key_hash is null or (${renew} and link.heard_at is null))
    order by device.serial for update of route`.execute(tx)
  if (!rows.length)
    throw refuse('conflict', 'No keys to create: all of these devices already have one. A key is shown only once.')
  const keys: DeviceKey[] = []
  const now = new Date()
  for (let at = 0; at < rows.length; at += atOnce) {
    const some = rows.slice(at, at + atOnce)
    const made = some.map(({ id, serial, had }) => ({ deviceId: id, serial, hadKey: had, ...newDeviceKey() }))
    await makeKeys(tx, person, made, now)
    await announceRoutes(
      tx,
      made.map(({ deviceId }) => deviceId),
    )
    keys.push(...made.map(({ deviceId, serial, password }) => ({ deviceId, serial, password })))
  }
  await changed(tx, 'import', [importId])
  return keys
}
