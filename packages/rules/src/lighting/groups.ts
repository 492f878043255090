import type { Validator } from '../forms/validators.ts'
import { faultOf, isIn, isNotIn } from '../forms/validators.ts'

/** The membership of a light in the group being edited (devices specification, section 3). */
export const memberships = [
  'inGroup',
  'noGroup',
  'anotherGroup',
  'conflictingGroup',
  'addedToGroup',
  'removedFromGroup',
] as const
export type Membership = (typeof memberships)[number]

/** Its membership before any changes. */
export type Origin = Exclude<Membership, 'addedToGroup' | 'removedFromGroup'>

/** Adding a light; a removed one returns to its previous membership. */
const whenAdded: Record<Membership, Membership> = {
  inGroup: 'inGroup',
  noGroup: 'addedToGroup',
  anotherGroup: 'addedToGroup',
  conflictingGroup: 'addedToGroup',
  addedToGroup: 'addedToGroup',
  removedFromGroup: 'inGroup',
}

export const added = (light: Membership): Membership => whenAdded[light]

/** Removing a light; an added one returns to its origin. */
export function removed(light: Membership, origin: Origin): Membership {
  if (light === 'inGroup') return 'removedFromGroup'
  return light === 'addedToGroup' ? origin : light
}

/** The membership of a light, from its origin and whether it is selected now. */
export function membershipOf(origin: Origin, isChosen: boolean): Membership {
  return isChosen ? added(origin) : removed(origin, origin)
}

/** Longest group name, in characters. */
export const groupNameLength = 80

/** Longest reason for a daytime or short-notice start, in characters. */
export const startReasonLength = 300

/** A name for comparison: group names of a tenant are unique regardless of letter case. */
export const groupKey = (name: string): string => name.trim().toLowerCase()

const isGiven =
  (text: string): Validator =>
  (value) =>
    value.trim() === '' ? text : undefined

/** The validation error of a group name; `others` are the existing names (devices specification, section 5). */
export function groupNameFault(name: string, others: readonly string[]): string | undefined {
  const taken = isNotIn(others.map(groupKey), 'Group Name already being used')
  return faultOf(name, [isGiven('Group Name is required'), (value) => taken(groupKey(value))])
}

/** The validation error of a group's building. */
export function buildingFault(building: string, buildings: readonly string[]): string | undefined {
  return faultOf(building, [isGiven('Building is required'), isIn(buildings, 'Building is not in list')])
}

/** Why a light cannot be in a group of a building; undefined if it can. */
export function lightFault(light: {
  name: string
  isLight: boolean
  isInstalled: boolean
  isInBuilding: boolean
  hasFloor: boolean
}): string | undefined {
  if (!light.isLight) return `${light.name} is not an emergency light`
  if (!light.isInstalled) return `${light.name} is no longer installed`
  if (!light.isInBuilding) return `${light.name} is not in this building`
  return light.hasFloor ? undefined : `${light.name} is not on a floor`
}
