import { queryOptions, useQuery, useQueryClient } from '@tanstack/react-query'
import { getDeviceKey } from '@caretaker/contract/calls/device-keys.ts'
import { shouldUpdateDevice } from '@caretaker/contract/calls/devices.ts'
import { devicePoll } from '@caretaker/rules/devices/list.ts'
import { call } from '../api/call.ts'
import { useWatchedDevices } from '../api/changes.ts'
import { devicePageKey } from '../api/device.ts'

/** The key of the device and its state. */
export const deviceKeyQuery = (tenant: string, deviceId: string) =>
  queryOptions({
    queryKey: [...devicePageKey(tenant, deviceId), 'key'],
    meta: { shows: { subjects: ['device', 'device state'], deviceId } },
    queryFn: ({ signal }) => call(getDeviceKey, { params: { tenant, deviceId } }, { signal }),
  })

/**
 * Keeps a device page current: listens for events, and also checks every 3 s whether the device has changed; if so, the
 * page is refetched. There is no check while an update is pending.
 */
export function useDeviceUpdates(tenant: string, deviceId: string, enabled: boolean): void {
  useWatchedDevices(enabled ? [deviceId] : [])
  const client = useQueryClient()
  const page = devicePageKey(tenant, deviceId)
  const key = [...page, 'changes'] as const
  const rest = {
    queryKey: page,
    predicate: ({ queryKey }: { queryKey: readonly unknown[] }) => queryKey[3] !== 'changes',
  }
  useQuery({
    queryKey: key,
    enabled,
    staleTime: 0,
    refetchInterval: devicePoll,
    retry: false,
    queryFn: async ({ signal }): Promise<Seen> => {
      const known = client.getQueryData<Seen>(key)
      if (known && client.isFetching(rest) > 0) return known
      const asked = Date.now()
      const { shouldUpdate, updatedAt, position } = await call(
        shouldUpdateDevice,
        { body: { tenant, deviceId, ...(known ?? { date: 0 }) } },
        { signal },
      )
      // The first answer only supplies the device's version: it affects data fetched before it.
      const concerned = known ? rest : { ...rest, predicate: isOlderThan(asked, rest.predicate) }
      if (shouldUpdate) void client.invalidateQueries(concerned)
      return { date: updatedAt, position }
    },
  })
}

/** The known version of the device. */
interface Seen {
  date: string
  position: string
}

interface Fetched {
  queryKey: readonly unknown[]
  state: { dataUpdatedAt: number }
}

function isOlderThan(time: number, also: (query: Fetched) => boolean) {
  return (query: Fetched) => also(query) && query.state.dataUpdatedAt > 0 && query.state.dataUpdatedAt < time
}
