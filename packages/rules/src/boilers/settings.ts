import type { CommandName } from '../commands/commands.ts'
import { faultOf, isAtLeast, isAtMost, isBetween } from '../forms/validators.ts'

/** Inclusive limits of boiler settings, in °C (devices specification, sections 5 and 9). */
export const chMaxRange = { min: 30, max: 80 } as const
export const dhwRange = { min: 40, max: 65 } as const
/** Flow temperature while the CH limit is on, in °C. */
export const chLimitTemperature = 45

type Fault = string | undefined

const chMaxText = 'CH max should be greater than 30'
const chMaxRules = [isAtLeast(chMaxRange.min, chMaxText), isAtMost(chMaxRange.max, chMaxText)]

/** Each returns the validation error of the typed text, as worded in the specification; undefined if it is valid. */
export const chMaxFault = (text: string): Fault => faultOf(text, chMaxRules)
export const dhwSetPointFault: (text: string) => Fault = isBetween(
  dhwRange.min,
  dhwRange.max,
  'DHW should range from 40°C to 65°C',
)
const needed =
  (message: string) =>
  (text: string): Fault =>
    text.trim() === '' ? message : undefined
export const addressFault = needed('Address can not be empty')
export const referenceFault = needed('Property Reference can not be empty')
export const locationFault = needed('Location can not be empty')

/** Maximum text lengths. */
export const addressLength = 200
export const referenceLength = 40

/** The settings: the field in which the device reports each, and the command that sets it. */
export const boilerSettings = {
  chMax: { command: 'setChMax', label: 'CH max' },
  dhwSetPoint: { command: 'setDhwSetPoint', label: 'DHW set point' },
  chLimit: { command: 'setChLimit', label: 'CH limit' },
  buzzer: { command: 'setBuzzer', label: 'Buzzer' },
} as const satisfies Record<string, { command: CommandName; label: string }>
export type BoilerSetting = keyof typeof boilerSettings
