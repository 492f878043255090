import { hasFeature, hasLevel, isEngineer, seesTenant } from '../identity/actor.ts'
import type { Actor } from '../identity/actor.ts'
import type { GeneralRights } from '../identity/rights.ts'
import { levels } from '../identity/roles.ts'

/** Only users who see the whole client: residents have no access rights tags. */
const readsSettings = (actor: Actor) => hasLevel(actor, 'misc', levels.read) && seesTenant(actor)
const editsSettings = (actor: Actor) => isEngineer(actor, 'misc') && seesTenant(actor)

export const residentsRights = {
  /** Edit the support contacts shown in the resident app. */
  'set resident app': editsSettings,
  /** See residents and their access (estate specification, section 6). */
  'see residents': (actor) => readsSettings(actor) && hasFeature(actor, 'ManageResidentAccess'),
  'manage residents': (actor) => editsSettings(actor) && hasFeature(actor, 'ManageResidentAccess'),
  /** The savings and tips of residents. */
  'see savings and tips': (actor) => readsSettings(actor) && hasFeature(actor, 'ManageApplication'),
  'write savings and tips': (actor) => editsSettings(actor) && hasFeature(actor, 'ManageApplication'),
} satisfies GeneralRights
