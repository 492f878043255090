import type { ConnectedDevice } from '@caretaker/contract/connected.ts'
import { eui64In } from '@caretaker/rules/devices/eui64.ts'
import type { Actor } from '@caretaker/rules/identity/actor.ts'
import type { TenantTx } from '../../postgres/tenant.ts'
import { devicesBelow } from './below.ts'
import { deviceInFull } from './store.ts'

/** The devices that speak through this one, each with all that is known of it. */
export async function connectedDevices(tx: TenantTx, actor: Actor, deviceId: string): Promise<ConnectedDevice[]> {
  const devices: ConnectedDevice[] = []
  for (const { id } of await devicesBelow(tx, actor, deviceId)) {
    const device = await deviceInFull(tx, actor, id)
    devices.push({ ...device, status: device.deviceStatus, eui64: eui64In(device.reported) })
  }
  return devices
}
