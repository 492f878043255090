import type { Product } from '../devices/products.ts'
import { familyOf } from '../devices/products.ts'
import type { Monitoring } from '../devices/monitoring.ts'
import type { ThermostatWiring } from './thermostats.ts'
import { thermostatWirings } from './thermostats.ts'

/** The heating units of a property (devices specification, section 3). */
export const heatingUnits = ['air source heat pump', 'boiler'] as const
export type HeatingUnit = (typeof heatingUnits)[number]

export const heatingUnitWords: Record<HeatingUnit, string> = {
  'air source heat pump': 'Air source heat pump',
  boiler: 'Boiler',
}

/** A device is a heat pump by product, or if its module reports that it monitors one. */
export function heatingUnitOf(device: { product: Product; monitoring: Monitoring | null }): HeatingUnit {
  const isHeatPump = familyOf(device.product) === 'airSourceHeatPump' || device.monitoring === 'HeatPump'
  return isHeatPump ? 'air source heat pump' : 'boiler'
}

export const occupancies = ['Occupied', 'Void'] as const
export type Occupancy = (typeof occupancies)[number]

/** Frost protection temperature of a void property, in °C (devices specification, section 4). */
export const voidHeatingMax = 10

/** The maximum heating temperature in °C: the device's setting, or frost protection in a void property. */
export function heatingMaxOf(chMax: number | null, occupancy: Occupancy | null): number | null {
  return occupancy === 'Void' ? voidHeatingMax : chMax
}

type Reported = Readonly<Record<string, unknown>>

/** The reported wiring of the thermostat; null if not reported or unknown. */
export function thermostatIn(reported: Reported): ThermostatWiring | null {
  const kind = reported['thermostatKind']
  return typeof kind === 'string' && Object.hasOwn(thermostatWirings, kind) ? (kind as ThermostatWiring) : null
}

export const textIn = (state: Reported, name: string): string | null => {
  const value = state[name]
  return typeof value === 'string' && value !== '' ? value : null
}
export const numberIn = (state: Reported, name: string): number | null => {
  const value = state[name]
  return typeof value === 'number' && Number.isFinite(value) ? value : null
}
export const flagIn = (state: Reported, name: string): boolean | null => {
  const value = state[name]
  return typeof value === 'boolean' ? value : null
}
/** The relays of a state that are reported as on or off. */
export function relaysIn(state: Reported): Record<string, boolean> {
  const relays = state['relays']
  if (typeof relays !== 'object' || relays === null) return {}
  return Object.fromEntries(
    Object.entries(relays).filter((entry): entry is [string, boolean] => typeof entry[1] === 'boolean'),
  )
}
