/**
 * The states of a property's heating, worst last. No contact means that the state is unknown, FrostRisk that pipes in a room may
 * freeze; Broken was recorded by a user.
 */
export const heatingStates = ['Working', 'NoContact', 'FrostRisk', 'Broken', 'LockedOut'] as const
export type HeatingState = (typeof heatingStates)[number]

export const heatingStateWords: Record<HeatingState, string> = {
  Working: 'Working',
  NoContact: 'No contact',
  FrostRisk: 'Frost risk',
  Broken: 'Broken',
  LockedOut: 'Locked out',
}

export const heatingGroups = {
  Working: 'Passed',
  NoContact: 'Warning',
  FrostRisk: 'Failed',
  Broken: 'Failed',
  LockedOut: 'Failed',
} as const satisfies Record<HeatingState, 'Passed' | 'Warning' | 'Failed'>

/** The states in which a property is not heated. */
export const heatingOffStates = ['LockedOut', 'Broken', 'FrostRisk'] as const satisfies HeatingState[]

/** °C: below it, pipes in a room may freeze (frost thermostats of heating systems are set to 5 °C). */
export const frostBelow = 5

export interface HeatingFacts {
  /** The number of connected devices that heat the property. */
  devices: number
  /** How many of them have no contact, and when the last of these lost it. */
  silent: number
  silentSince: Date | null
  /** When one of them began to report a fault of its boiler or heat pump. */
  lockedOutSince: Date | null
  /** When one of its boilers or heat pumps was recorded as broken. */
  brokenSince: Date | null
  /** Since when a room has been colder than `frostBelow`. */
  frostSince: Date | null
}

/** The state of a property's heating; null if no heating device is connected and no room is too cold. */
export function heatingOf(facts: HeatingFacts): { state: HeatingState; since: Date | null } | null {
  if (facts.lockedOutSince) return { state: 'LockedOut', since: facts.lockedOutSince }
  if (facts.brokenSince) return { state: 'Broken', since: facts.brokenSince }
  if (facts.frostSince) return { state: 'FrostRisk', since: facts.frostSince }
  if (facts.devices === 0) return null
  if (facts.silent === facts.devices) return { state: 'NoContact', since: facts.silentSince }
  return { state: 'Working', since: null }
}
