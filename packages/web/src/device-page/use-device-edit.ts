import { useQueryClient } from '@tanstack/react-query'
import type { Device } from '@caretaker/contract/devices.ts'
import { refreshTenant } from '../actions/refresh.ts'
import { useActor } from '../api/actor.ts'
import { devicePageKey } from '../api/device.ts'
import { textsOf } from '../api/errors.ts'

/**
 * Sends a change of a field edited in place: resolves when the page shows the stored value, rejects with the messages
 * of the server, prefixed with a custom text.
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
    // Listings and counts are refreshed in the background.
    void refreshTenant(client, tenant)
  }
}
