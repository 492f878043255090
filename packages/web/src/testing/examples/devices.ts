import type { DeviceRow, Emered, NetworkingDevice, ViewData } from '@caretaker/contract/devices.ts'
import { fetchViewData, getEmered, getNetworkingDevice } from '@caretaker/contract/devices.ts'
import type { Boiler } from '@caretaker/contract/boilers.ts'
import { getBoiler } from '@caretaker/contract/boilers.ts'
import { getDeviceTestSchedule } from '@caretaker/contract/groups.ts'
import { getAllDeviceTests, getDeviceCommands } from '@caretaker/contract/lighting.ts'
import { getDeviceMetrics } from '@caretaker/contract/telemetry.ts'
import { getViewDefinitions } from '@caretaker/contract/views.ts'
import { listings } from '@caretaker/rules/devices/list.ts'
import type { List } from '@caretaker/rules/lists/list.ts'
import { builtInViews } from '@caretaker/rules/views/view.ts'
import type { ServerAnswer } from '../network.ts'
import { answer, exampleOf } from '../network.ts'
import { charts } from './telemetry.ts'

/** An id derived from a number. */
export const idOf = (number: number): string => `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`

/** An installed light in a listing that the user may change, with minimal data. */
export function aRow(more: Partial<DeviceRow> = {}): DeviceRow {
  const example = exampleOf(fetchViewData).rows[0]!
  const { deviceId = example.deviceId } = more
  return {
    ...example,
    deviceProductId: 'EM',
    deviceStatus: 'Ok',
    deviceSerial: `EM${deviceId.slice(-6)}`,
    deviceDisplayName: `Light ${Number(deviceId.slice(-12)) || 1}`,
    deviceInWholesale: false,
    deviceFault: null,
    deviceParentId: null,
    deviceParentProductId: null,
    deviceGateway: null,
    deviceStatusReason: null,
    deviceRunningTest: null,
    deviceEquipment: null,
    deviceIsThermostatWithHomeHub: false,
    deviceIsOfConnection: false,
    deviceTags: [],
    deviceAccessRightsTag: null,
    deviceGasSafety: null,
    deviceWaterTreatment: null,
    userHasReadOnlyAccess: false,
    userCanUpdateAccessRightsTag: true,
    ...more,
  }
}

/** A number of installed lights, with ids from 1 on. */
export const rowsOf = (count: number, more: Partial<DeviceRow> = {}): DeviceRow[] =>
  Array.from({ length: count }, (_, at) => aRow({ deviceId: idOf(at + 1), ...more }))

/** The page of a listing with exactly these rows. */
export function aPageOf(rows: DeviceRow[], more: Partial<ViewData> = {}) {
  return { ...exampleOf(fetchViewData), rows, total: rows.length, outOf: rows.length, page: 1, pageSize: 100, ...more }
}

/** The listings with their built-in views, each with these rows. */
export const listingsOf = (rows: DeviceRow[], more: Partial<ViewData> = {}): ServerAnswer[] => [
  answer(getViewDefinitions, {
    views: [...new Map(Object.values<List>(listings).map((list) => [list.root, list])).values()].flatMap((list) =>
      builtInViews(list).map((view) => ({
        ...view,
        authors: [],
        columns: [...view.columns],
        filters: view.filters.map((filter) => ({ ...filter, value: filter.value as string[] })),
        sorts: [],
        ownerName: null,
      })),
    ),
    fields: {},
  }),
  answer(fetchViewData, aPageOf(rows, more)),
]

const plain = {
  inWholesale: false,
  deviceStatus: 'Ok',
  connectionStatus: 'Connected',
  statusReason: null,
  messagesNotTaken: [],
  uninstalledAt: null,
  tags: [],
  tagIds: [],
  tagNames: [],
  accessRightsTag: null,
  powerClamps: null,
  reported: {},
  parent: null,
  fault: null,
  gasSafety: null,
  waterTreatment: null,
  isThermostatWithHomeHub: false,
  isOfConnection: false,
  userHasReadOnlyAccess: false,
  userCanUpdateAccessRightsTag: true,
  tenant: 'northgate',
} as const

/** An installed light that the user may change. */
export function aLight(more: Partial<Emered> = {}): Emered {
  const named = { deviceId: idOf(1), deviceName: 'Stairwell B', productId: 'EM', serialNumber: 'EM000001' } as const
  return {
    ...exampleOf(getEmered),
    ...structuredClone(plain),
    ...named,
    latestTests: [],
    runningTest: null,
    ...more,
  } as Emered
}

/** An installed boiler control module that the user may change. */
export function aBoiler(more: Partial<Boiler> = {}): Boiler {
  const named = { deviceId: idOf(2), deviceName: 'Flat 4 boiler', productId: 'BX', serialNumber: 'BX000002' } as const
  return { ...exampleOf(getBoiler), ...structuredClone(plain), ...named, ...more } as Boiler
}

/** An installed gateway that the user may change. */
export function aGateway(more: Partial<NetworkingDevice> = {}): NetworkingDevice {
  const named = { deviceId: idOf(3), deviceName: 'Roof gateway', productId: 'MG', serialNumber: 'MG000003' } as const
  const none = { children: [], childCount: 0 }
  return {
    ...exampleOf(getNetworkingDevice),
    ...structuredClone(plain),
    ...named,
    ...none,
    ...more,
  } as NetworkingDevice
}

/** The page of a light, without tests, groups, commands or readings. */
export const lightPage = (light: Emered = aLight()): ServerAnswer[] => [
  answer(getEmered, light),
  answer(getAllDeviceTests, []),
  ...devicePage,
]

/** The page of a boiler control module, without faults, commands or readings. */
export const boilerPage = (boiler: Boiler = aBoiler()): ServerAnswer[] => [answer(getBoiler, boiler), ...devicePage]

/** The page of a gateway, without connected devices, tests, commands or readings. */
export const gatewayPage = (gateway: NetworkingDevice = aGateway()): ServerAnswer[] => [
  answer(getNetworkingDevice, gateway),
  answer(getDeviceTestSchedule, { ...exampleOf(getDeviceTestSchedule), next: [], past: [] }),
  ...devicePage,
]

const devicePage: readonly ServerAnswer[] = [answer(getDeviceCommands, []), answer(getDeviceMetrics, []), charts()]
