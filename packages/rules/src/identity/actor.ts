import type { Capability, Feature } from './features.ts'
import type { Area, Level, Role } from './roles.ts'
import { levelOf, levels } from './roles.ts'

/** Somebody at work in one tenant: everything that decides what they may see and do there. */
export interface Actor {
  userId: string
  /** The person as a user of the tenant: the id by which its users are listed, and own views. */
  memberId: string
  tenant: string
  role: Role
  /** Ids of the access rights tags the person carries in this tenant. */
  tags: readonly string[]
  features: readonly Feature[]
  capabilities: readonly Capability[]
  /** What is said of it besides, where the actor is no person but an API key. */
  key?: { administersUsers: boolean }
}

/** All that decides what an actor may see and do, without who they are: the same of people who may the same. */
export const rightsOf = ({ role, tags, features, capabilities, key }: Actor): string =>
  JSON.stringify([role, tags.toSorted(), features.toSorted(), capabilities.toSorted(), key?.administersUsers])

/** Whether the actor carries access rights tags, and therefore sees only what carries one of them. */
export function isLimited(actor: Pick<Actor, 'tags'>): boolean {
  return actor.tags.length > 0
}

/** A developer with access to all areas sees every route and tab, limited or not (core gaps A15). */
export function seesEverything(actor: Pick<Actor, 'role'>): boolean {
  return levelOf(actor.role, 'all') >= levels.dev
}

/** Whether no restriction keeps parts of the tenant from the actor. */
export const seesTenant = (actor: Pick<Actor, 'role' | 'tags'>) => !isLimited(actor) || seesEverything(actor)

/** A developer is at work where a feature is off, too: the flags of a tenant say what it has bought (core gaps A15). */
export const hasFeature = (actor: Pick<Actor, 'role' | 'features'>, feature: Feature) =>
  seesEverything(actor) || actor.features.includes(feature)
export const hasCapability = (actor: Actor, one: Capability) =>
  seesEverything(actor) || actor.capabilities.includes(one)

export function hasLevel(actor: Pick<Actor, 'role'>, area: Area, level: Level): boolean {
  return levelOf(actor.role, area) >= level
}

/** The two capabilities that follow from the level in an area (devices specification, section 1). */
export const isManager = (actor: Pick<Actor, 'role'>, area: Area) => hasLevel(actor, area, levels.manage)
/** An engineer of an area is whoever may edit there. */
export const isEngineer = (actor: Pick<Actor, 'role'>, area: Area) => hasLevel(actor, area, levels.edit)

/** Whether the actor's access rights tags leave a thing visible that carries these; without tags everything is. */
export function tagsAllow(actor: Pick<Actor, 'tags'>, subject: { accessRightsTags: readonly string[] }): boolean {
  return !isLimited(actor) || subject.accessRightsTags.some((tag) => actor.tags.includes(tag))
}

/** Whether what tells of a customer is hidden from the actor: addresses, names, telephone numbers. */
export const hidesPersonalData = (actor: Pick<Actor, 'features'>): boolean =>
  actor.features.includes('HideCustomerPersonalData')
