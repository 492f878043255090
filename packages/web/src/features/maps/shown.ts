import type { MapPoint } from '@caretaker/contract/devices.ts'
import type { MapBuilding } from '@caretaker/contract/maps.ts'

/** What stands alone on a map. */
export type Shown = MapPoint | MapBuilding

export const isDevice = (one: Shown): one is MapPoint => 'deviceId' in one
export const idOf = (one: Shown): string => (isDevice(one) ? one.deviceId : one.building)
export const nameOf = (one: Shown): string => (isDevice(one) ? one.deviceName || one.serialNumber : one.name)
export const wordOf = (all: readonly Shown[]): 'devices' | 'buildings' =>
  all[0] && !isDevice(all[0]) ? 'buildings' : 'devices'
