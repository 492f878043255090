import type { QueryClient } from '@tanstack/react-query'
import { queryOptions } from '@tanstack/react-query'
import { getBoiler, getEmered, getNetworkingDevice } from '@caretaker/contract/devices.ts'
import type { DetailListing } from '@caretaker/rules/devices/list.ts'
import { call } from './call.ts'

const readers = { EmergencyLights: getEmered, Boilers: getBoiler, NetworkingDevices: getNetworkingDevice }

/** Everything of a device's page has this at the beginning of its key. */
export const devicePageKey = (tenant: string, deviceId: string) => [tenant, 'device', deviceId] as const

export const deviceQuery = (tenant: string, listing: DetailListing, deviceId: string) =>
  queryOptions({
    queryKey: [...devicePageKey(tenant, deviceId), 'details', listing],
    meta: { shows: { subjects: ['device', 'device state'], deviceId } },
    queryFn: ({ signal }) => call(readers[listing], { body: { tenant, deviceId } }, { signal }),
  })

/** Fetches what a device's page shows first, because the person is about to open it. */
export function prefetchDevice(client: QueryClient, tenant: string, listing: DetailListing, deviceId: string): void {
  void client.prefetchQuery(deviceQuery(tenant, listing, deviceId))
}
