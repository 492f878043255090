import { earliestClock } from '../calendar/device-clock.ts'
import type { Product } from './products.ts'
import { familyOf } from './products.ts'

export const faultSources = ['boiler', 'autofill', 'device'] as const
export type FaultSource = (typeof faultSources)[number]

/** Whether a device monitors equipment with faults of its own: a boiler, a heat pump, an autofill valve. */
export function watchesEquipment(product: Product): boolean {
  return ['boiler', 'airSourceHeatPump', 'autofill'].includes(familyOf(product))
}

/** A fault reported over the device link, with the fields that listings and actions need. */
export interface ReportedFault {
  code: string
  /** The description from the device; null if it sends none. */
  description: string | null
  /** Whether the fault is of the monitored equipment or of the device itself. */
  source: FaultSource
  isResettable: boolean
}

/** The fault in a reported state; null if there is none or it is 'None' (devices specification, section 4). */
export function faultIn(reported: Readonly<Record<string, unknown>>): ReportedFault | null {
  const code = reported['faultCode']
  if (typeof code !== 'string' || code === '' || code === 'None') return null
  const fault = reported['fault']
  const details = typeof fault === 'object' && fault !== null ? (fault as Record<string, unknown>) : {}
  return {
    code,
    description:
      typeof details['description'] === 'string' && details['description'] !== '' ? details['description'] : null,
    source: faultSources.find((source) => source === details['faultSource']) ?? 'boiler',
    isResettable: details['isResettable'] === true,
  }
}

/** The plausible range of a device time. */
const believable = { from: earliestClock, to: Date.UTC(2100, 0) }

/** When the fault began, if the device reports a readable and plausible time. */
export function faultSince(reported: Readonly<Record<string, unknown>>): Date | undefined {
  const fault = reported['fault']
  const timestamp =
    typeof fault === 'object' && fault !== null ? (fault as Record<string, unknown>)['timestamp'] : undefined
  const at = new Date(typeof timestamp === 'string' || typeof timestamp === 'number' ? timestamp : Number.NaN)
  return at.getTime() >= believable.from && at.getTime() < believable.to ? at : undefined
}

/** Whether a multi-sensor reports that it is installed as the thermostat of its BCM. */
export function isThermostat(reported: Readonly<Record<string, unknown>>): boolean {
  return reported['installedAs'] === 'thermostat'
}

/** Whether a boiler can be reset remotely; true if the device does not report it. */
export function supportsRemoteReset(reported: Readonly<Record<string, unknown>>): boolean {
  return reported['remoteResetSupported'] !== false
}

/** The reported fields used by listings, actions and alerts; the others appear only on the device page. */
export const listedStates = [
  'firmware',
  'faultCode',
  'fault',
  'remoteResetSupported',
  'installedAs',
  'mains',
  'inhibited',
] as const
