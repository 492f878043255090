import { sql } from 'kysely'
import { refuse } from '@caretaker/contract/refusal.ts'
import { auditAll } from '../../audit/audit.ts'
import type { Recorded } from '../../audit/audit.ts'
import { changed } from '../../changes/changed.ts'
import { newDeviceKey } from '../../mqtt/device-keys.ts'
import { announceRoutes } from '../../mqtt/route-changes.ts'
import type { TenantTx } from '../../postgres/tenant.ts'

/** Keys that are written by one statement. */
const atOnce = 1000

/** The devices that a list made and that are still there; a key that was revoked is replaced on the page of its device. */
const madeBy = (tx: TenantTx, importId: string) => sql`
  from data_import_item item
  join device on device.tenant_id = ${tx.tenant} and device.id = item.target_id
  join device_route route on route.tenant_id = ${tx.tenant} and route.device_id = device.id
  left join device_link link on link.tenant_id = ${tx.tenant} and link.device_id = device.id
  where item.tenant_id = ${tx.tenant} and item.import_id = ${importId} and item.kind = 'device'
    and item.action = 'create' and item.state = 'done' and route.key_revoked_at is null`

/** How many of them have no key, and how many have one that nobody has used. */
export async function countDeviceKeys(tx: TenantTx, importId: string): Promise<{ without: number; unheard: number }> {
  const { rows } = await sql<{ without: number; unheard: number }>`
    select (count(*) filter (where route.key_hash is null))::int as without,
      (count(*) filter (where route.key_hash is not null and link.heard_at is null))::int as unheard
    ${madeBy(tx, importId)}`.execute(tx)
  return rows[0]!
}

/** What a device connects with. */
export interface DeviceKey {
  deviceId: string
  serial: string
  password: string
}

/**
 * Makes keys of the devices that a list made: of those that have none, and to `renew` also of those that were never heard. What a
 * device uses is never taken from it. Refuses where there is none to make.
 */
export async function makeDeviceKeys(
  tx: TenantTx,
  person: Recorded,
  { importId, renew }: { importId: string; renew: boolean },
): Promise<DeviceKey[]> {
  // Held, so that of two who ask at a time the second is told that there are keys already.
  const { rows } = await sql<{ id: string; serial: string; had: boolean }>`
    select device.id, device.serial, route.key_hash is not null as had ${madeBy(tx, importId)}
      and (route.key_hash is null or (${renew} and link.heard_at is null))
    order by device.serial for update of route`.execute(tx)
  if (!rows.length)
    throw refuse('conflict', 'There is no key to make: these devices have theirs, which are told only once.')
  const keys: DeviceKey[] = []
  const now = new Date()
  for (let at = 0; at < rows.length; at += atOnce) {
    const some = rows.slice(at, at + atOnce)
    const made = some.map(({ id, serial }) => ({ deviceId: id, serial, ...newDeviceKey() }))
    // As texts: what a distributed database hands on of an array of bytes is not those bytes.
    await sql`
      update device_route set key_hash = decode(made.hash, 'hex'), key_made_at = ${now}
      from unnest(${made.map(({ deviceId }) => deviceId)}::uuid[], ${made.map(({ hash }) => hash.toString('hex'))}::text[])
        as made (id, hash)
      where device_route.tenant_id = ${tx.tenant} and device_route.device_id = made.id`.execute(tx)
    await auditAll(
      tx,
      person,
      'device key made',
      some.map(({ id, serial, had }) => ({
        subject: { type: 'device' as const, id, name: serial },
        // Never the key.
        before: { hasKey: had },
        after: { hasKey: true },
      })),
    )
    const ids = some.map(({ id }) => id)
    await announceRoutes(tx, ids)
    await changed(tx, 'device state', ids)
    keys.push(...made.map(({ deviceId, serial, password }) => ({ deviceId, serial, password })))
  }
  await changed(tx, 'import', [importId])
  return keys
}
