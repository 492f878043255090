/**
 * The state of a home's heating, the worst last. A lockout comes first, then a boiler that a person recorded as broken, then rooms in which
 * pipes may freeze, then silence, in which nothing is known.
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

/** The states in which a home is not heated. */
export const heatingOffStates = ['LockedOut', 'Broken', 'FrostRisk'] as const satisfies HeatingState[]

/** °C: a room below it is near the point at which pipes freeze (frost thermostats of heating systems are set to 5 °C). */
export const frostBelow = 5

export interface HeatingFacts {
  /** How many connected devices heat the home. */
  devices: number
  /** How many of them have no contact, and since when the last of these lost it. */
  silent: number
  silentSince: Date | null
  /** Since when one of them reports a fault of its boiler or heat pump. */
  lockedOutSince: Date | null
  /** Since when one of its boilers or heat pumps is recorded as broken. */
  brokenSince: Date | null
  /** Since when a room is colder than `frostBelow`. */
  frostSince: Date | null
}

/** The state of a home's heating; null where nothing that heats is connected and no room is too cold. */
export function heatingOf(facts: HeatingFacts): { state: HeatingState; since: Date | null } | null {
  if (facts.lockedOutSince) return { state: 'LockedOut', since: facts.lockedOutSince }
  if (facts.brokenSince) return { state: 'Broken', since: facts.brokenSince }
  if (facts.frostSince) return { state: 'FrostRisk', since: facts.frostSince }
  if (facts.devices === 0) return null
  if (facts.silent === facts.devices) return { state: 'NoContact', since: facts.silentSince }
  return { state: 'Working', since: null }
}
