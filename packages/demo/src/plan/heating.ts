import type { ThermostatWiring } from '@caretaker/rules/boilers/thermostats.ts'
import { thermostatWirings } from '@caretaker/rules/boilers/thermostats.ts'
import { chanceOf, pick, whole } from '../chance.ts'
import type { DemoDevice } from './device.ts'
import { modelOf } from './device.ts'

type Known = readonly [manufacturer: string, model: string, gcNumber?: string]
const boilers: readonly Known[] = [
  ['Worcester Bosch', 'Greenstar 30i', '47-406-13'],
  ['Vaillant', 'ecoTEC plus 832', '47-044-68'],
  ['Ideal', 'Logic Combi C30', '47-348-74'],
  ['Baxi', '630 Combi', '47-077-16'],
]
const heatPumps: readonly Known[] = [
  ['Vaillant', 'aroTHERM plus 8'],
  ['Mitsubishi Electric', 'Ecodan 8.5'],
  ['Daikin', 'Altherma 3 M'],
]
const wirings = Object.keys(thermostatWirings) as ThermostatWiring[]

/** The boiler or heat pump data and settings of a module; empty for other devices. */
export function heatingOf(device: Pick<DemoDevice, 'product' | 'monitoring' | 'serial'>): DemoDevice['traits'] {
  const model = modelOf(device)
  if (model !== 'boiler' && model !== 'airSourceHeatPump') return {}
  // A surveyor cube is used before there are settings.
  if (device.monitoring === 'None') return {}
  const chance = chanceOf(`${device.serial} heating`)
  const isBoiler = model === 'boiler'
  const [boilerManufacturer, boilerModel, boilerGc] = pick(chance, isBoiler ? boilers : heatPumps)
  return {
    boilerManufacturer,
    boilerModel,
    ...(boilerGc && { boilerGc }),
    thermostatKind: isBoiler ? pick(chance, wirings) : 'ownBrandOpenTherm',
    chMax: isBoiler ? 5 * whole(chance, 12, 15) : 55,
    dhwSetPoint: whole(chance, 48, 56),
    chLimit: false,
    buzzer: false,
    chMaxSupported: true,
    supportsDhwSetPoint: true,
    hasBuzzer: true,
    remoteResetSupported: isBoiler,
  }
}
