import { refuse } from '@caretaker/contract/refusal.ts'
import type { DeviceKey } from '@caretaker/contract/device-keys.ts'
import type { Recorded } from '../../audit/audit.ts'
import { setDeviceKey } from '../../devices/keys.ts'
import { newDeviceKey } from '../../mqtt/device-keys.ts'
import { announceRoutes } from '../../mqtt/route-changes.ts'
import type { TenantTx } from '../../postgres/tenant.ts'
import type { HeldDevice } from '../devices/held.ts'
import { findKey } from './store.ts'

interface Change {
  tx: TenantTx
  person: Recorded
  /** Locked: if two changes run at once, the second sees the key set by the first. */
  device: HeldDevice
  now: Date
}

/** Gives a device a new key. The password is returned only here; only its hash is stored. */
export async function replaceKey({
  tx,
  person,
  device,
  now,
}: Change): Promise<{ deviceKey: DeviceKey; password: string }> {
  const { state } = await findKey(tx, device.deviceId)
  const { password, ...hashes } = newDeviceKey()
  await setDeviceKey(tx, person, device, {
    ...{ key: hashes, now, type: state === 'none' ? 'DeviceKeyMade' : 'DeviceKeyReplaced' },
    changes: { before: { key: state }, after: { key: 'active' } },
  })
  await announceRoutes(tx, [device.deviceId])
  return { deviceKey: await findKey(tx, device.deviceId), password }
}

/** Refuses the device from now on. Refuses to revoke a missing key; revoking a revoked one does nothing. */
export async function revokeKey({ tx, person, device, now }: Change): Promise<DeviceKey> {
  const before = await findKey(tx, device.deviceId)
  if (before.state === 'revoked') return before
  if (before.state === 'none') throw refuse('conflict', 'The device has no key of its own.')
  await setDeviceKey(tx, person, device, {
    ...{ key: null, now, type: 'DeviceKeyRevoked' },
    changes: { before: { key: before.state }, after: { key: 'revoked' } },
  })
  await announceRoutes(tx, [device.deviceId])
  return findKey(tx, device.deviceId)
}
