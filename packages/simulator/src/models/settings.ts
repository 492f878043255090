import { chLimitTemperature } from '@caretaker/rules/boilers/settings.ts'
import type { Answer, Nature, Reported } from './model.ts'
import { flag, number, word } from './model.ts'

/** The settings of a heating device; temperatures in °C. */
export interface HeatingSettings {
  chMax: number
  dhwSetPoint: number
  chLimit: boolean
  buzzer: boolean
}

export function settingsAtFirst(device: Nature, usual: { chMax: number; dhwSetPoint: number }): HeatingSettings {
  return {
    chMax: number(device, 'chMax', usual.chMax),
    dhwSetPoint: number(device, 'dhwSetPoint', usual.dhwSetPoint),
    chLimit: flag(device, 'chLimit'),
    buzzer: flag(device, 'buzzer'),
  }
}

/** The highest flow temperature of the radiators, in °C. */
export const mostHeat = ({ chMax, chLimit }: HeatingSettings) => (chLimit ? Math.min(chMax, chLimitTemperature) : chMax)

const facts = ['boilerManufacturer', 'boilerModel', 'boilerGc', 'thermostatKind'] as const

/** The device's settings and features, and the known data of its boiler. */
export function reportedSettings(device: Nature, settings: HeatingSettings): Reported {
  const known = facts.map((name) => [name, word(device, name, '')] as const).filter(([, text]) => text !== '')
  return {
    ...settings,
    chMaxSupported: device.traits['chMaxSupported'] !== false,
    supportsDhwSetPoint: device.traits['supportsDhwSetPoint'] !== false,
    hasBuzzer: device.traits['hasBuzzer'] !== false,
    remoteResetSupported: device.traits['remoteResetSupported'] !== false,
    ...Object.fromEntries(known),
  }
}

/** Seconds between the reply and the report of the new state. */
const soon = 1

const setting =
  (key: keyof HeatingSettings, argument: string) =>
  <State extends { settings: HeatingSettings }>(
    state: State,
    _: unknown,
    args: Record<string, unknown>,
  ): Answer<State> => {
    const value = args[argument]
    if (typeof value !== typeof state.settings[key])
      return { state, status: 'failed', message: `${argument} is no value that can be set` }
    return { state: { ...state, settings: { ...state.settings, [key]: value } }, status: 'confirmed', next: soon }
  }

/** The command handlers for settings. */
export const settingCommands = {
  setChMax: setting('chMax', 'chSetPoint'),
  setDhwSetPoint: setting('dhwSetPoint', 'dhwSetPoint'),
  setChLimit: setting('chLimit', 'isLimited'),
  setBuzzer: setting('buzzer', 'isLimited'),
}
