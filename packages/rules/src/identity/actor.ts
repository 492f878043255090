import type { Capability, Feature } from './features.ts'
import type { Area, Level, Role } from './roles.ts'
import { levelOf, levels } from './roles.ts'

/** A user or API key acting in one tenant, with everything that determines their rights. */
export interface Actor {
  userId: string
  /** The person's id as a user of the tenant, as in the list of users and in their own views. */
  memberId: string
  tenant: string
  role: Role
  /** Ids of the access rights tags that the person has in this tenant. */
  tags: readonly string[]
  features: readonly Feature[]
  capabilities: readonly Capability[]
  /** Additional data if the actor is an API key. */
  key?: { administersUsers: boolean; managesIntegrations: boolean }
}

/** A key for the actor's rights without their identity: equal for actors with the same rights. */
export const rightsOf = ({ role, tags, features, capabilities, key }: Actor): string =>
  JSON.stringify([
    ...[role, tags.toSorted(), features.toSorted(), capabilities.toSorted()],
    ...[key?.administersUsers, key?.managesIntegrations],
  ])

/** Whether the actor has access rights tags and therefore sees only objects with one of them. */
export function isLimited(actor: Pick<Actor, 'tags'>): boolean {
  return actor.tags.length > 0
}

/** A developer with access to all areas sees every route and tab, with or without tags (core gaps A15). */
export function seesEverything(actor: Pick<Actor, 'role'>): boolean {
  return levelOf(actor.role, 'all') >= levels.dev
}

/** Whether the actor sees the whole tenant. */
export const seesTenant = (actor: Pick<Actor, 'role' | 'tags'>) => !isLimited(actor) || seesEverything(actor)

/** Developers have every feature: the flags of a tenant state what it has bought (core gaps A15). */
export const hasFeature = (actor: Pick<Actor, 'role' | 'features'>, feature: Feature) =>
  seesEverything(actor) || actor.features.includes(feature)
export const hasCapability = (actor: Actor, one: Capability) =>
  seesEverything(actor) || actor.capabilities.includes(one)

export function hasLevel(actor: Pick<Actor, 'role'>, area: Area, level: Level): boolean {
  return levelOf(actor.role, area) >= level
}

/** The two capabilities that follow from the level in an area (devices specification, section 1). */
export const isManager = (actor: Pick<Actor, 'role'>, area: Area) => hasLevel(actor, area, levels.manage)
/** An engineer of an area is an actor who may edit there. */
export const isEngineer = (actor: Pick<Actor, 'role'>, area: Area) => hasLevel(actor, area, levels.edit)

/** Whether the actor's access rights tags allow an object with these tags; an actor without tags sees all objects. */
export function tagsAllow(actor: Pick<Actor, 'tags'>, subject: { accessRightsTags: readonly string[] }): boolean {
  return !isLimited(actor) || subject.accessRightsTags.some((tag) => actor.tags.includes(tag))
}

/** Whether customers' personal data is hidden from the actor: addresses, names, telephone numbers. */
export const hidesPersonalData = (actor: Pick<Actor, 'features'>): boolean =>
  actor.features.includes('HideCustomerPersonalData')
