import { stateFields } from './state-fields.ts'

/** The purpose of a field of the reported state. */
interface StateField {
  /** The devices that report it. */
  of: string
  type: string
  meaning: string
  /** Its effect in the product. */
  effect: string
}

const lights = 'emergency lights'
const boilers = 'boiler control modules'

/** The fields of the reported state for developers of devices, with the keys of `stateFields`. */
export const stateDocumentation: Readonly<Record<string, StateField>> = {
  firmware: { of: 'all', type: 'text', meaning: 'version of the firmware', effect: 'shown in lists' },
  monitoring: {
    of: boilers,
    type: '`Boiler`, `HeatPump`, `None` or `Unknown`',
    meaning: 'what the device monitors',
    effect: 'lists, counts, charts and due records follow it',
  },
  networkJoined: {
    of: 'emergency lights, repeaters',
    type: 'boolean',
    meaning: 'whether the device belongs to its mesh network',
    effect: 'confirms `joinNetwork` and `leaveNetwork`',
  },
  runningTest: {
    of: lights,
    type: 'text or null',
    meaning: 'type of the running test; null without one',
    effect: 'a low or uncharged battery is not reported during a test',
  },
  mains: {
    of: lights,
    type: 'boolean',
    meaning: 'whether mains is on',
    effect: 'condition No mains; no long test starts without mains',
  },
  mainsSince: {
    of: lights,
    type: 'ms since 1970',
    meaning: 'since when the mains has been on or off',
    effect: 'the charging time, and whether mains ended a test',
  },
  inhibited: {
    of: lights,
    type: 'boolean',
    meaning: 'whether the lamp is switched off on purpose',
    effect: 'condition Inhibited; no long test starts',
  },
  batteryFull: {
    of: lights,
    type: 'boolean',
    meaning: 'whether the battery is fully charged',
    effect: 'long tests wait for it; a condition if it is not full after its charging time',
  },
  installedAs: {
    of: 'multi-sensors',
    type: '`thermostat`',
    meaning: 'installed as the thermostat of its boiler control module',
    effect: 'shown as a thermostat',
  },
  thermostatKind: {
    of: boilers,
    type: 'text, see Commands',
    meaning: 'how the thermostat is connected',
    effect: 'shown on the page of the boiler',
  },
  remoteResetSupported: {
    of: boilers,
    type: 'boolean',
    meaning: 'whether the boiler can be reset remotely',
    effect: '`resetBoiler` is offered unless it is false',
  },
  faultCode: {
    of: 'boiler control modules, autofills',
    type: 'text',
    meaning: 'code of the active fault; `None` without one',
    effect: 'faults, alerts and the status of the device',
  },
  fault: {
    of: 'boiler control modules, autofills',
    type: '`{faultCode, description, timestamp, faultSource, isResettable}` or null',
    meaning: 'the active fault; null when it has cleared',
    effect: 'faults, alerts, and whether a reset is offered',
  },
  relays: {
    of: 'power switches',
    type: '`{"1": boolean, "2": boolean}`, all of them',
    meaning: 'whether each relay is on',
    effect: 'confirms `setRelay`',
  },
  takesSchedules: {
    of: 'V-Stats',
    type: 'boolean',
    meaning: 'whether the firmware accepts schedules',
    effect: '`schedule` is sent only if it is true',
  },
  schedules: {
    of: 'V-Stats',
    type: '`{"heating": week, "hotWater": week}`, all of them',
    meaning: 'the weeks that the device follows',
    effect: 'confirms `schedule`; shown on the property',
  },
  supplyHeld: {
    of: 'power meters of model F',
    type: 'boolean',
    meaning: 'whether the electricity is held off',
    effect: 'confirms `setSupplyHold`',
  },
  supply: {
    of: 'power meters of model F',
    type: 'boolean',
    meaning: 'whether the electricity of the property is on',
    effect: 'shown in the Messages tab',
  },
  firing: {
    of: boilers,
    type: 'boolean',
    meaning: 'whether the boiler burns because of `fireBoiler`',
    effect: 'shown in the Messages tab',
  },
  chMax: {
    of: boilers,
    type: '°C',
    meaning: 'maximum temperature of the radiators',
    effect: 'confirms `setChMax`',
  },
  chLimit: {
    of: boilers,
    type: 'boolean',
    meaning: 'whether the radiators are limited to 45 °C',
    effect: 'confirms `setChLimit`',
  },
  dhwSetPoint: { of: boilers, type: '°C', meaning: 'set point of the hot water', effect: 'confirms `setDhwSetPoint`' },
  buzzer: {
    of: boilers,
    type: 'boolean',
    meaning: 'whether the buzzer sounds during a fault',
    effect: 'confirms `setBuzzer`',
  },
  chMaxSupported: {
    of: boilers,
    type: 'boolean',
    meaning: 'whether the boiler has a maximum for radiators',
    effect: '`setChMax` is offered; void mode uses it',
  },
  supportsDhwSetPoint: {
    of: boilers,
    type: 'boolean',
    meaning: 'whether the boiler has a set point for hot water',
    effect: '`setDhwSetPoint` is offered',
  },
  hasBuzzer: { of: boilers, type: 'boolean', meaning: 'whether there is a buzzer', effect: '`setBuzzer` is offered' },
  boilerManufacturer: {
    of: boilers,
    type: 'text',
    meaning: 'manufacturer of the boiler',
    effect: 'shown on the page of the boiler',
  },
  boilerModel: { of: boilers, type: 'text', meaning: 'model of the boiler', effect: 'shown on the page of the boiler' },
  boilerGc: {
    of: boilers,
    type: 'text',
    meaning: 'GC number of the boiler',
    effect: 'shown on the page of the boiler',
  },
  eui64: {
    of: 'devices of a mesh network',
    type: 'text',
    meaning: 'radio address',
    effect: 'imports match the device by it',
  },
}

/** The table for the device link manual. */
export function stateTable(): string {
  const rows = Object.keys(stateFields).map((name) => {
    const { of, type, meaning, effect } = stateDocumentation[name]!
    return `| \`${name}\` | ${of} | ${type} | ${meaning} | ${effect} |`
  })
  return ['| field | reported by | type | meaning | effect |', '|---|---|---|---|---|', ...rows].join('\n')
}
