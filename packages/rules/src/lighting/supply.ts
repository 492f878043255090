import type { BatteryType } from './luminaire.ts'
import { chargeTime } from './runs.ts'
import { endVoltageOf } from './verdict.ts'

/** The reported state of a light's supply; undefined for missing values. */
export interface Supply {
  /** Whether the mains supply is on, and since when, in ms. */
  mains: boolean | undefined
  mainsSince: number | undefined
  batteryFull: boolean | undefined
  /** DALI part 202, emergency status bit 0: the lamp stays off when mains fails. */
  inhibited: boolean | undefined
}

/** Parses a reported state; fields of another type are ignored. */
export function supplyOf({ mains, mainsSince, batteryFull, inhibited }: Record<string, unknown>): Supply {
  const flag = (value: unknown) => (typeof value === 'boolean' ? value : undefined)
  return {
    mains: flag(mains),
    mainsSince: typeof mainsSince === 'number' ? mainsSince : undefined,
    batteryFull: flag(batteryFull),
    inhibited: flag(inhibited),
  }
}

/**
 * Since when the lamp has been dark during a mains failure because it is inhibited (the research on the domain, section
 * 1: in rest mode); null if reported without a time, undefined if the lamp is not known to be dark.
 */
export function darkSince({ mains, mainsSince, inhibited }: Supply): number | null | undefined {
  if (mains !== false || !inhibited) return undefined
  return mainsSince ?? null
}

/** The charge of a battery that is not being tested; Degraded means not full after a day of charging. */
export type Charge = 'Full' | 'Charging' | 'Degraded'

/**
 * When a battery should be full, in ms; undefined if unknown or during a mains failure. A sound battery is full a day
 * after it was drained, if mains has been on since (the research on the domain, section 1).
 * @param emptied when its tests ended, however short, and when it was fitted, ms; unknown ones are omitted
 */
export function fullBy(
  { mains, mainsSince, batteryFull }: Supply,
  emptied: readonly (number | undefined)[],
): number | undefined {
  if (batteryFull !== false || mains === false) return undefined
  const since = [mainsSince, ...emptied].filter((at) => at !== undefined)
  return since.length ? Math.max(...since) + chargeTime : undefined
}

/** The charge of a light's battery; undefined if unknown, during a mains failure, and while a test drains it. */
export function chargeOf(supply: Supply, emptied: readonly (number | undefined)[], now: number): Charge | undefined {
  if (supply.batteryFull && supply.mains !== false) return 'Full'
  const by = fullBy(supply, emptied)
  if (by === undefined) return undefined
  return now < by ? 'Charging' : 'Degraded'
}

/** Below this level, in per cent, a battery cannot light the lamp for long. */
export const lowestLevel = 5

/**
 * Whether a battery that was not drained by a test is too low to light the lamp.
 * @param battery `voltage` and `nominalVoltage` in V, `level` in per cent; undefined or null if unknown
 */
export function isBatteryLow(battery: {
  voltage: number | undefined
  level: number | undefined
  nominalVoltage: number | null
  batteryType: BatteryType | null
}): boolean {
  const { voltage, level } = battery
  return (voltage !== undefined && voltage < endVoltageOf(battery)) || (level !== undefined && level < lowestLevel)
}
