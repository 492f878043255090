import type { ConditionKind } from '../conditions/conditions.ts'
import type { DeviceStatus } from '../devices/status.ts'
import { displayGroup, hasFailed } from '../devices/status.ts'

/** Most characters of the name of an appliance. */
export const longestAppliance = 80

/** The state of the emergency lights and alarms of a home, the worst last. */
export const lightStates = ['Passed', 'NoReadings', 'Overdue', 'Failed'] as const
export type LightState = (typeof lightStates)[number]

export const lightStateWords: Record<LightState, string> = {
  Passed: 'Passed',
  NoReadings: 'No readings',
  Overdue: 'Overdue',
  Failed: 'Failed',
}
export const lightGroups = { Passed: 'Passed', NoReadings: 'None', Overdue: 'Failed', Failed: 'Failed' } as const

/** A light or alarm of a home, with the kinds of conditions that are open. */
export interface HomeLight {
  status: DeviceStatus
  open: readonly ConditionKind[]
}

const unknown: readonly ConditionKind[] = ['noContact', 'neverHeard', 'notHeard']

/** The state of one: silence proves nothing, and a test that is owed is overdue. */
function stateOf({ status, open }: HomeLight): LightState {
  if (open.some((kind) => unknown.includes(kind)) || displayGroup(status) === 'NotInstalled') return 'NoReadings'
  if (hasFailed(status)) return 'Failed'
  return displayGroup(status) === 'Passed' ? 'Passed' : 'Overdue'
}

/** The worst state of all of them; null without any. */
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
  const lives = isVoid ? 'void home' : people ? (people === 1 ? '1 person' : `${people} people`) : ''
  return [`Boiler locked out${since ? ` since ${since}` : ''}`, 'no heating', lives].filter(Boolean).join(', ')
}
