import type { ConditionKind } from '../conditions/conditions.ts'
import type { DeviceStatus } from '../devices/status.ts'
import { displayGroup, hasFailed } from '../devices/status.ts'

/** Longest name of an appliance, in characters. */
export const longestAppliance = 80

/** The state of a property's emergency lights and alarms, worst last. */
export const lightStates = ['Passed', 'NoReadings', 'Overdue', 'Failed'] as const
export type LightState = (typeof lightStates)[number]

export const lightStateWords: Record<LightState, string> = {
  Passed: 'Passed',
  NoReadings: 'No readings',
  Overdue: 'Overdue',
  Failed: 'Failed',
}
export const lightGroups = { Passed: 'Passed', NoReadings: 'None', Overdue: 'Failed', Failed: 'Failed' } as const

/** A light or alarm of a property, with the kinds of its open conditions. */
export interface HomeLight {
  status: DeviceStatus
  open: readonly ConditionKind[]
}

const unknown: readonly ConditionKind[] = ['noContact', 'neverHeard', 'notHeard']

/** The state of one light: silence proves nothing, and a missing test counts as overdue. */
function stateOf({ status, open }: HomeLight): LightState {
  if (open.some((kind) => unknown.includes(kind)) || displayGroup(status) === 'NotInstalled') return 'NoReadings'
  if (hasFailed(status)) return 'Failed'
  return displayGroup(status) === 'Passed' ? 'Passed' : 'Overdue'
}

/** The worst state; null without lights. */
export function lightsOf(lights: readonly HomeLight[]): LightState | null {
  return lights.map(stateOf).toSorted((a, b) => lightStates.indexOf(b) - lightStates.indexOf(a))[0] ?? null
}

/** 'Boiler locked out since 09:43, no heating, 5 people'. */
export function lockoutTitle({
  since,
  isVoid,
  people,
}: {
  since: string | null
  isVoid: boolean
  people: number | null
}): string {
  const lives = isVoid ? 'void property' : people ? (people === 1 ? '1 person' : `${people} people`) : ''
  return [`Boiler locked out${since ? ` since ${since}` : ''}`, 'no heating', lives].filter(Boolean).join(', ')
}
