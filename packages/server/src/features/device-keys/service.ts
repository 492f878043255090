import { refuse } from '@caretaker/contract/refusal.ts'
import type { DeviceKey } from '@caretaker/contract/device-keys.ts'
import type { Recorded } from '../../audit/audit.ts'
import { audit } from '../../audit/audit.ts'
import { newDeviceKey } from '../../mqtt/device-keys.ts'
import type { TenantTx } from '../../postgres/tenant.ts'
import type { HeldDevice } from '../devices/held.ts'
import { deviceSubject } from '../devices/held.ts'
import { findKey, putKey } from './store.ts'

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
  await putKey(tx, device.deviceId, hashes, now)
  await audit(tx, {
    ...{ person, action: state === 'none' ? 'device key made' : 'device key replaced', subject: deviceSubject(device) },
    // The key itself is never recorded.
    before: { key: state },
    after: { key: 'active' },
  })
  return { deviceKey: await findKey(tx, device.deviceId), password }
}

/** Refuses the device from now on. Refuses to revoke a missing key; revoking a revoked one does nothing. */
export async function revokeKey({ tx, person, device, now }: Change): Promise<DeviceKey> {
  const before = await findKey(tx, device.deviceId)
  if (before.state === 'revoked') return before
  if (before.state === 'none') throw refuse('conflict', 'The device has no key of its own.')
  await putKey(tx, device.deviceId, null, now)
  await audit(tx, {
    ...{ person, action: 'device key revoked', subject: deviceSubject(device) },
    before: { key: before.state },
    after: { key: 'revoked' },
  })
  return findKey(tx, device.deviceId)
}
