import type { QueryClient } from '@tanstack/react-query'
import { queryOptions } from '@tanstack/react-query'
import type { Device, Emered, NetworkingDevice } from '@caretaker/contract/devices.ts'
import type { Boiler } from '@caretaker/contract/boilers.ts'
import { getBoiler } from '@caretaker/contract/calls/boilers.ts'
import { getEmered, getNetworkingDevice, getThirdPartyDevice } from '@caretaker/contract/calls/devices.ts'
import type { DetailListing } from '@caretaker/rules/devices/list.ts'
import { call } from './call.ts'

/** The device type of each kind of page. */
export interface DevicesOf {
  EmergencyLights: Emered
  Boilers: Boiler
  NetworkingDevices: NetworkingDevice
  ThirdParty: Device
}

type Reader<L extends DetailListing> = (
  body: { tenant: string; deviceId: string },
  options: { signal: AbortSignal },
) => Promise<DevicesOf[L]>

const readers: { [L in DetailListing]: Reader<L> } = {
  EmergencyLights: (body, options) => call(getEmered, { body }, options),
  Boilers: (body, options) => call(getBoiler, { body }, options),
  NetworkingDevices: (body, options) => call(getNetworkingDevice, { body }, options),
  ThirdParty: (body, options) => call(getThirdPartyDevice, { body }, options),
}

/** The prefix of all query keys of a device page. */
export const devicePageKey = (tenant: string, deviceId: string) => [tenant, 'device', deviceId] as const

/** Other devices that a page shows: those connected to it, and its power switch. */
export function othersShown(device: DevicesOf[DetailListing]): string[] {
  if ('children' in device) return device.children.map(({ deviceId }) => deviceId)
  if (!('connectedDevices' in device)) return []
  const connected = device.connectedDevices.map(({ deviceId }) => deviceId)
  return device.powerSwitch ? [device.powerSwitch.deviceId, ...connected] : connected
}

export const deviceQuery = <L extends DetailListing>(tenant: string, listing: L, deviceId: string) =>
  queryOptions({
    queryKey: [...devicePageKey(tenant, deviceId), 'details', listing],
    meta: {
      shows: {
        subjects: ['device', 'device state', 'device tests'],
        deviceId,
        othersIn: (device) => (device ? othersShown(device as DevicesOf[L]) : []),
      },
    },
    queryFn: ({ signal }) => readers[listing]({ tenant, deviceId }, { signal }),
  })

/** Prefetches the first data of a device page. */
export function prefetchDevice(client: QueryClient, tenant: string, listing: DetailListing, deviceId: string): void {
  void client.prefetchQuery(deviceQuery(tenant, listing, deviceId))
}
