import type { Actor } from '../identity/actor.ts'
import { seesEverything } from '../identity/actor.ts'
import type { DetailListing } from './list.ts'
import type { DeviceSubject } from './rights.ts'
import { readsHistory } from './rights.ts'

/**
 * The tabs of each kind of device page, in order (devices specification, section 2); the first one has no name in the
 * URL.
 */
export const deviceTabs = {
  Boilers: [
    'info',
    'faultHistory',
    'history',
    'maintenance',
    'telemetry',
    'compliance',
    'connectedDevices',
    'debug',
    'messages',
  ],
  EmergencyLights: ['info', 'testResults', 'testSchedules', 'history', 'maintenance', 'debug', 'messages'],
  NetworkingDevices: ['info', 'debug', 'messages'],
  ThirdParty: ['info', 'telemetry', 'history', 'sensorMessages'],
} as const satisfies Record<DetailListing, readonly string[]>
export type DeviceTab<L extends DetailListing = DetailListing> = (typeof deviceTabs)[L][number]

export const deviceTabLabels: Record<DeviceTab, string> = {
  info: 'Info',
  faultHistory: 'Fault History',
  testResults: 'Test Results',
  testSchedules: 'Test Schedules',
  history: 'History',
  maintenance: 'Maintenance',
  telemetry: 'Telemetry',
  compliance: 'Compliance',
  connectedDevices: 'Connected Devices',
  debug: 'Debug',
  messages: 'Messages',
  sensorMessages: 'Messages',
}

/** Developer tabs, last and set apart by a divider. */
export const developerTabs: readonly DeviceTab[] = ['debug', 'messages']

/** Conditions that hide a tab; a developer with access to all areas sees every tab (core-6-26). */
const hidden: Partial<Record<DeviceTab, (actor: Actor, device: Pick<DeviceSubject, 'product'>) => boolean>> = {
  history: (actor, device) => !readsHistory(actor, device),
  telemetry: (actor) => actor.features.includes('HideTelemetryTab'),
  debug: () => true,
  messages: () => true,
}

/** Whether the actor sees a tab of the device page. */
export function seesTab(actor: Actor, device: Pick<DeviceSubject, 'product'>, tab: DeviceTab): boolean {
  return seesEverything(actor) || !(hidden[tab]?.(actor, device) ?? false)
}

/** The tabs of the device page that the actor sees, in order. */
export function tabsOf<L extends DetailListing>(
  listing: L,
  actor: Actor,
  device: Pick<DeviceSubject, 'product'>,
): DeviceTab<L>[] {
  return deviceTabs[listing].filter((tab) => seesTab(actor, device, tab))
}
