import type { Validator } from '../forms/validators.ts'
import { faultOf, isIn, isNotIn } from '../forms/validators.ts'

/** What a light is to the group that somebody is making or changing (devices specification, section 3). */
export const memberships = [
  'inGroup',
  'noGroup',
  'anotherGroup',
  'conflictingGroup',
  'addedToGroup',
  'removedFromGroup',
] as const
export type Membership = (typeof memberships)[number]

/** What it is as the group stands, before anybody has changed anything. */
export type Origin = Exclude<Membership, 'addedToGroup' | 'removedFromGroup'>

/** A light that is added: one that was removed comes back as it was. */
const whenAdded: Record<Membership, Membership> = {
  inGroup: 'inGroup',
  noGroup: 'addedToGroup',
  anotherGroup: 'addedToGroup',
  conflictingGroup: 'addedToGroup',
  addedToGroup: 'addedToGroup',
  removedFromGroup: 'inGroup',
}

export const added = (light: Membership): Membership => whenAdded[light]

/** A light that is removed: one that was added goes back to where it came from. */
export function removed(light: Membership, origin: Origin): Membership {
  if (light === 'inGroup') return 'removedFromGroup'
  return light === 'addedToGroup' ? origin : light
}

/** What a light is to the group, by what it is as the group stands and whether the choice holds it now. */
export function membershipOf(origin: Origin, isChosen: boolean): Membership {
  return isChosen ? added(origin) : removed(origin, origin)
}

/** Longest name of a group, in characters. */
export const groupNameLength = 80

/** Longest reason for a start by day or within the next hours, in characters. */
export const startReasonLength = 300

/** A name as it is compared: no two groups of a tenant differ only in letter case. */
export const groupKey = (name: string): string => name.trim().toLowerCase()

const isGiven =
  (text: string): Validator =>
  (value) =>
    value.trim() === '' ? text : undefined

/** What is wrong with the name of a group, beside the names of the others (devices specification, section 5). */
export function groupNameFault(name: string, others: readonly string[]): string | undefined {
  const taken = isNotIn(others.map(groupKey), 'Group Name already being used')
  return faultOf(name, [isGiven('Group Name is required'), (value) => taken(groupKey(value))])
}

/** What is wrong with the building of a group, among all there are. */
export function buildingFault(building: string, buildings: readonly string[]): string | undefined {
  return faultOf(building, [isGiven('Building is required'), isIn(buildings, 'Building is not in list')])
}

/** What keeps a light from being in a group of a building; undefined when nothing does. */
export function lightFault(light: {
  name: string
  isLight: boolean
  isInstalled: boolean
  isInBuilding: boolean
  hasFloor: boolean
}): string | undefined {
  if (!light.isLight) return `${light.name} is not an emergency light`
  if (!light.isInstalled) return `${light.name} is not installed any more`
  if (!light.isInBuilding) return `${light.name} is not in this building`
  return light.hasFloor ? undefined : `${light.name} is on no floor`
}
