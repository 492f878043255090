import type { Actor } from './actor.ts'
import type { Capability, Feature } from './features.ts'
import { capabilities, features } from './features.ts'
import type { Area, Role } from './roles.ts'
import { areasOf } from './roles.ts'

/** A tenant that a person belongs to, with their role and access rights tags in it. */
export interface Membership {
  id: string
  name: string
  displayName: string
  /** The person's id as a user of this tenant. */
  memberId: string
  role: Role
  tags: readonly string[]
}

/** The signed-in person, as returned by the session call. */
export interface Person {
  userId: string
  name: string
  pictureUrl: string | null
  tenants: readonly Membership[]
}

/** The session user (core specification, section 3): the person with their role in the selected tenant. */
export interface SessionUser {
  name: string
  pictureUrl: string | null
  userId: string
  tenants: readonly Membership[]
  selectedTenant: string | undefined
  role: Role | undefined
  tags: readonly string[]
  tenantSelected: boolean
  areas: readonly Area[]
}

/** The session user with a tenant selected; role and tags are those in that tenant only. */
export function sessionUser(person: Person, tenant: string | undefined): SessionUser {
  const membership = person.tenants.find((one) => one.id === tenant)
  return {
    name: person.name,
    pictureUrl: person.pictureUrl,
    userId: person.userId,
    tenants: person.tenants,
    selectedTenant: membership?.id,
    role: membership?.role,
    tags: membership?.tags ?? [],
    tenantSelected: membership !== undefined,
    areas: membership ? areasOf(membership.role) : [],
  }
}

/**
 * The enabled features of a tenant, from the groups of the features call; ignores unknown names, missing ones are off.
 */
export function enabledFeatures(
  areas: readonly { features: readonly { name: string; isEnabled: boolean }[] }[],
): Feature[] {
  const on = new Set(
    areas.flatMap((area) => area.features.filter((feature) => feature.isEnabled).map((feature) => feature.name)),
  )
  return features.filter((feature) => on.has(feature))
}

/** The capabilities of a tenant, from the groups of the capabilities call. */
export function enabledCapabilities(groups: Readonly<Record<string, Readonly<Record<string, boolean>>>>): Capability[] {
  const on = Object.assign({}, ...Object.values(groups)) as Record<string, boolean>
  return capabilities.filter((capability) => on[capability] === true)
}

/** The actor for `can`, or undefined if the person does not belong to the tenant. */
export function actorOf(
  person: Person,
  tenant: string,
  enabled: { features: readonly Feature[]; capabilities: readonly Capability[] },
): Actor | undefined {
  const membership = person.tenants.find((one) => one.id === tenant)
  if (!membership) return undefined
  const { memberId, role, tags } = membership
  return { userId: person.userId, memberId, tenant, role, tags, ...enabled }
}
