import type { MapPoint } from '@caretaker/contract/devices.ts'
import type { MapBuilding } from '@caretaker/contract/maps.ts'
import { displayGroup } from '@caretaker/rules/devices/status.ts'
import type { MapStatusFilter } from '@caretaker/rules/maps/status.ts'
import { lookOf } from '../../map/pins.tsx'

/** An item on the map that is not clustered. */
export type Shown = MapPoint | MapBuilding

export const isDevice = (one: Shown): one is MapPoint => 'deviceId' in one
export const idOf = (one: Shown): string => (isDevice(one) ? one.deviceId : one.building)
export const nameOf = (one: Shown): string => (isDevice(one) ? one.deviceName || one.serialNumber : one.name)
export const wordOf = (all: readonly Shown[]): 'devices' | 'buildings' =>
  all[0] && !isDevice(all[0]) ? 'buildings' : 'devices'

/** The look of a single item, by device status or connection. */
export const lookAlone = (one: Shown, by: MapStatusFilter) =>
  isDevice(one)
    ? lookOf(by, displayGroup(one.deviceStatus) ?? 'NotInstalled', one.connectionStatus)
    : lookOf(by, one.deviceStatus, one.connectionStatus)
