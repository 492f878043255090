import type { QueryClient } from '@tanstack/react-query'
import { useQueryClient } from '@tanstack/react-query'
import { devicePageKey } from '../api/device.ts'
import { textsOf } from '../api/errors.ts'

/** Fetches what the page says of a device and its commands anew, and not what it measured. */
export async function refreshBoiler(client: QueryClient, tenant: string, deviceId: string): Promise<void> {
  await client.invalidateQueries({
    queryKey: devicePageKey(tenant, deviceId),
    predicate: ({ queryKey }) => queryKey[3] === 'details' || queryKey[3] === 'commands',
  })
}

/** Sends a change of a boiler's page: when it is done the page shows it; a refusal is an error in the words of the server. */
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
