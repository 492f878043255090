import type { TenantEmered } from '@caretaker/contract/groups.ts'
import { displayGroup } from '@caretaker/rules/devices/status.ts'
import type { Membership, Origin } from '@caretaker/rules/lighting/groups.ts'
import { membershipOf } from '@caretaker/rules/lighting/groups.ts'

/** A test of another group that a light would miss or run twice. */
export interface Conflict {
  deviceId: string
  groupName: string
  testDate: string
  duration: number
}

/** A light of the building in the dialog. */
export interface ChosenLight extends TenantEmered {
  origin: Origin
  membership: Membership
  conflict: Conflict | undefined
}

interface Choice {
  lights: readonly TenantEmered[]
  /** The edited group; undefined for a new one. */
  groupName: string | undefined
  chosen: ReadonlySet<string>
  conflicts: readonly Conflict[]
}

/** The membership of each light in a building, shared by list and map. */
export function chosenLights({ lights, groupName, chosen, conflicts }: Choice): ChosenLight[] {
  const conflictOf = new Map(conflicts.map((conflict) => [conflict.deviceId, conflict]))
  return lights
    .filter((light) => displayGroup(light.deviceStatus) !== 'NotInstalled' && light.floor !== null)
    .map((light) => {
      const conflict = conflictOf.get(light.deviceId)
      const origin = originOf(light, groupName, conflict)
      return { ...light, origin, conflict, membership: membershipOf(origin, chosen.has(light.deviceId)) }
    })
}

function originOf(light: TenantEmered, groupName: string | undefined, conflict: Conflict | undefined): Origin {
  if (light.groupName === null) return 'noGroup'
  if (light.groupName === groupName) return 'inGroup'
  return conflict ? 'conflictingGroup' : 'anotherGroup'
}

/** The footer texts: what changes, which groups lose lights, and which lights would not be tested any more. */
export function summary(lights: readonly ChosenLight[]): { changes: string; leaving: string; untested: string } {
  const added = lights.filter(({ membership }) => membership === 'addedToGroup')
  const removed = lights.filter(({ membership }) => membership === 'removedFromGroup')
  const inGroup = lights.filter(({ membership }) => membership === 'inGroup').length + added.length
  const parts = [added.length && `${added.length} added`, removed.length && `${removed.length} removed`].filter(Boolean)
  const total = inGroup === 1 ? '1 light' : `${inGroup} lights`
  const moving = Map.groupBy(
    added.filter(({ groupName }) => groupName !== null),
    ({ groupName }) => groupName!,
  )
  return {
    changes: parts.length ? `${parts.join(', ')}: ${total}` : total,
    leaving: [...moving]
      .map(([group, some]) => `${namesOf(some)} ${some.length === 1 ? 'leaves' : 'leave'} ${group}`)
      .join('. '),
    untested: removed.length
      ? `${namesOf(removed)} ${removed.length === 1 ? 'is' : 'are'} then no longer tested by any group`
      : inGroup
        ? ''
        : 'A group without lights runs no tests',
  }
}

function namesOf(lights: readonly ChosenLight[]): string {
  const names = lights.map(({ deviceName }) => deviceName)
  if (names.length > 3) return `${names.length} lights`
  return names.length < 2 ? names.join('') : `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`
}
