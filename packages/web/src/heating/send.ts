import type { QueryClient } from '@tanstack/react-query'
import { useQueryClient } from '@tanstack/react-query'
import { devicePageKey } from '../api/device.ts'
import { textsOf } from '../api/errors.ts'

/** Refetches the device and its commands, but not its readings. */
export async function refreshBoiler(client: QueryClient, tenant: string, deviceId: string): Promise<void> {
  await client.invalidateQueries({
    queryKey: devicePageKey(tenant, deviceId),
    predicate: ({ queryKey }) => queryKey[3] === 'details' || queryKey[3] === 'commands',
  })
}

/** Sends a change from a boiler page: resolves when the page shows it, rejects with the server's messages. */
export function useSend(tenant: string, deviceId: string): (change: () => Promise<unknown>) => Promise<void> {
  const client = useQueryClient()
  return async (change) => {
    try {
      await change()
    } catch (error) {
      throw new Error(textsOf(error).join(' '), { cause: error })
    }
    await refreshBoiler(client, tenant, deviceId)
  }
}
