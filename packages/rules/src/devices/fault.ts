import { earliestClock } from '../calendar/device-clock.ts'
import type { Product } from './products.ts'
import { familyOf } from './products.ts'

export const faultSources = ['boiler', 'autofill', 'device'] as const
export type FaultSource = (typeof faultSources)[number]

/** Whether a device watches equipment that has faults of its own: a boiler, a heat pump, the valve of an autofill. */
export function watchesEquipment(product: Product): boolean {
  return ['boiler', 'airSourceHeatPump', 'autofill'].includes(familyOf(product))
}

/** The fault that a device reports over the device link, as far as listings and actions need it. */
export interface ReportedFault {
  code: string
  /** What it means, in the words of the device; null where it does not say. */
  description: string | null
  /** Whose it is: of the equipment that the device watches, or of the device itself. */
  source: FaultSource
  isResettable: boolean
}

/** The fault in a reported state; null when it reports none, or says 'None' (devices specification, section 4). */
export function faultIn(reported: Readonly<Record<string, unknown>>): ReportedFault | null {
  const code = reported['faultCode']
  if (typeof code !== 'string' || code === '' || code === 'None') return null
  const fault = reported['fault']
  const told = typeof fault === 'object' && fault !== null ? (fault as Record<string, unknown>) : {}
  return {
    code,
    description: typeof told['description'] === 'string' && told['description'] !== '' ? told['description'] : null,
    source: faultSources.find((source) => source === told['faultSource']) ?? 'boiler',
    isResettable: told['isResettable'] === true,
  }
}

/** No clock that was set shows a time before, and no device will be there after. */
const believable = { from: earliestClock, to: Date.UTC(2100, 0) }

/** Since when it reports its fault, where it says so in a way that can be read and believed. */
export function faultSince(reported: Readonly<Record<string, unknown>>): Date | undefined {
  const fault = reported['fault']
  const told = typeof fault === 'object' && fault !== null ? (fault as Record<string, unknown>)['timestamp'] : undefined
  const at = new Date(typeof told === 'string' || typeof told === 'number' ? told : Number.NaN)
  return at.getTime() >= believable.from && at.getTime() < believable.to ? at : undefined
}

/** Whether a multi-sensor says that it is installed as the thermostat of its BCM. */
export function isThermostat(reported: Readonly<Record<string, unknown>>): boolean {
  return reported['installedAs'] === 'thermostat'
}

/** Whether a boiler can be reset from afar; one that does not say can. */
export function supportsRemoteReset(reported: Readonly<Record<string, unknown>>): boolean {
  return reported['remoteResetSupported'] !== false
}

/** What listings and their actions show of a reported state, and what alerts ask of it; everything else of it only the device's page shows. */
export const listedStates = [
  'firmware',
  'faultCode',
  'fault',
  'remoteResetSupported',
  'installedAs',
  'mains',
  'inhibited',
] as const
