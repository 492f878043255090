import type { BatteryType } from './luminaire.ts'
import { chargeTime } from './runs.ts'
import { endVoltageOf } from './verdict.ts'

/** What a light has said of its supply; undefined what it has not. */
export interface Supply {
  /** Whether it has mains, and since when that is so, in ms. */
  mains: boolean | undefined
  mainsSince: number | undefined
  batteryFull: boolean | undefined
  /** DALI part 202, emergency status bit 0: the lamp stays off when mains goes. */
  inhibited: boolean | undefined
}

/** Reads a reported state; a field of another type says nothing. */
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
 * Since when the lamp is dark although mains is away, because it is inhibited (the research on the domain, section 1: in rest mode);
 * null where it says so without a time, undefined where the lamp is not known to be dark.
 */
export function darkSince({ mains, mainsSince, inhibited }: Supply): number | null | undefined {
  if (mains !== false || !inhibited) return undefined
  return mainsSince ?? null
}

/** How a battery that is not being tested stands; Degraded is what a day of charge has not filled. */
export type Charge = 'Full' | 'Charging' | 'Degraded'

/**
 * When a battery that is not full should be, ms; undefined where that is not known, or mains is away. A day after what emptied it, and with
 * mains since then, a sound battery is full (the research on the domain, section 1).
 * @param emptied when tests of it ended, however short, and when it was put in, ms; what is not known is left out
 */
export function fullBy(
  { mains, mainsSince, batteryFull }: Supply,
  emptied: readonly (number | undefined)[],
): number | undefined {
  if (batteryFull !== false || mains === false) return undefined
  const since = [mainsSince, ...emptied].filter((at) => at !== undefined)
  return since.length ? Math.max(...since) + chargeTime : undefined
}

/** How the battery of a light is charged; undefined where that is not known, where mains is away, and while a test draws from it. */
export function chargeOf(supply: Supply, emptied: readonly (number | undefined)[], now: number): Charge | undefined {
  if (supply.batteryFull && supply.mains !== false) return 'Full'
  const by = fullBy(supply, emptied)
  if (by === undefined) return undefined
  return now < by ? 'Charging' : 'Degraded'
}

/** A battery with less charge than this cannot light the lamp for long, in per cent. */
export const lowestLevel = 5

/**
 * Whether a battery that no test has emptied is too low to light the lamp.
 * @param battery `voltage` and `nominalVoltage` in V, `level` in per cent; undefined or null where not known
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
