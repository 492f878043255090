import { useQueryClient } from '@tanstack/react-query'
import type { Device } from '@caretaker/contract/devices.ts'
import { refreshTenant } from '../actions/refresh.ts'
import { useActor } from '../api/actor.ts'
import { devicePageKey } from '../api/device.ts'
import { textsOf } from '../api/errors.ts'

/**
 * Sends a change to a field edited in place: resolves when the page shows the stored value, rejects with the server's
 * messages, prefixed with a custom text.
 */
export function useDeviceEdit({ deviceId }: Pick<Device, 'deviceId'>) {
  const { tenant } = useActor()
  const client = useQueryClient()
  const details = [...devicePageKey(tenant, deviceId), 'details']
  return async (sent: Promise<unknown>, refused = ''): Promise<void> => {
    try {
      await sent
    } catch (error) {
      // After a refusal the page shows the current state, and another attempt names its version.
      void client.invalidateQueries({ queryKey: details })
      throw new Error([refused, ...textsOf(error)].filter(Boolean).join(' '), { cause: error })
    }
    await client.invalidateQueries({ queryKey: details })
    // Listings and counts are refreshed in the background.
    void refreshTenant(client, tenant)
  }
}
