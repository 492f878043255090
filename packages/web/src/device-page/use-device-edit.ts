import { useQueryClient } from '@tanstack/react-query'
import type { Device } from '@caretaker/contract/devices.ts'
import { refreshTenant } from '../actions/refresh.ts'
import { useActor } from '../api/actor.ts'
import { devicePageKey } from '../api/device.ts'
import { textsOf } from '../api/errors.ts'

/**
 * Sends a change of a device for a field that is edited in its place: done when the page shows what is stored then, rejected
 * with the server's words where it was refused, behind a beginning of one's own.
 */
export function useDeviceEdit({ deviceId }: Pick<Device, 'deviceId'>) {
  const { tenant } = useActor()
  const client = useQueryClient()
  return async (sent: Promise<unknown>, refused = ''): Promise<void> => {
    try {
      await sent
    } catch (error) {
      throw new Error([refused, ...textsOf(error)].filter(Boolean).join(' '), { cause: error })
    }
    await client.invalidateQueries({ queryKey: [...devicePageKey(tenant, deviceId), 'details'] })
    // Listings and counts may show it too; nobody waits for them.
    void refreshTenant(client, tenant)
  }
}
