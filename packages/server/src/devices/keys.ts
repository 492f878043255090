import { sql } from 'kysely'
import type { Changed } from '@caretaker/rules/audit/audit.ts'
import type { TenantTx } from '../postgres/tenant.ts'
import type { Recorded } from '../projections/events/audit.ts'
import type { DeviceKeyEvent, NamedDevice } from '../projections/events/devices.ts'
import { record } from '../projections/record.ts'

/** The hashes of a key that are stored. */
interface KeyHashes {
  hash: Buffer
  mosquittoHash: string
}

interface KeyChange {
  type: DeviceKeyEvent['type']
  /** The changes that the audit log names, never the key itself. */
  changes: { before: Changed; after: Changed }
}

/** Replaces the key of a locked device, or removes it. The caller announces the route, which ends its connections. */
export async function setDeviceKey(
  tx: TenantTx,
  by: Recorded,
  { deviceId, serial }: NamedDevice,
  { key, now, type, changes }: KeyChange & { key: KeyHashes | null; now: Date },
): Promise<void> {
  await tx
    .updateTable('device_route')
    .set(
      key
        ? { key_hash: key.hash, mosquitto_hash: key.mosquittoHash, key_made_at: now, key_revoked_at: null }
        : { key_hash: null, mosquitto_hash: null, key_made_at: null, key_revoked_at: now },
    )
    .where('tenant_id', '=', tx.tenant)
    .where('device_id', '=', deviceId)
    .execute()
  record(tx, [{ type, deviceId, serial, by, ...changes }])
}

/** Gives each of these devices, whose routes are locked, a new key. The caller announces the routes. */
export async function makeKeys(
  tx: TenantTx,
  by: Recorded,
  devices: readonly (NamedDevice & KeyHashes & { hadKey: boolean })[],
  now: Date,
): Promise<void> {
  const ids = devices.map(({ deviceId }) => deviceId)
  // Sent as text: a distributed database garbles arrays of bytes that it forwards.
  await sql`
    update device_route
    set key_hash = decode(made.hash, 'hex'), mosquitto_hash = made.mosquitto_hash, key_made_at = ${now}
    from unnest(${ids}::uuid[], ${devices.map(({ hash }) => hash.toString('hex'))}::text[],
      ${devices.map((key) => key.mosquittoHash)}::text[]) as made (id, hash, mosquitto_hash)
    where device_route.tenant_id = ${tx.tenant} and device_route.device_id = made.id`.execute(tx)
  record(
    tx,
    devices.map(({ deviceId, serial, hadKey }) => ({
      ...{ type: 'DeviceKeyMade', deviceId, serial, by },
      ...{ before: { hasKey: hadKey }, after: { hasKey: true } },
    })),
  )
}
