import { hasFeature, hasLevel, isEngineer, seesTenant } from '../identity/actor.ts'
import type { Actor } from '../identity/actor.ts'
import type { GeneralRights } from '../identity/rights.ts'
import { levels } from '../identity/roles.ts'

/** Settings are for who sees the whole client; residents carry no access rights tags. */
const readsSettings = (actor: Actor) => hasLevel(actor, 'misc', levels.read) && seesTenant(actor)
const editsSettings = (actor: Actor) => isEngineer(actor, 'misc') && seesTenant(actor)

export const residentsRights = {
  /** The support contacts that the resident app shows. */
  'set resident app': editsSettings,
  /** Who lives where, and whether they may see it (estate specification, section 6). */
  'see residents': (actor) => readsSettings(actor) && hasFeature(actor, 'ManageResidentAccess'),
  'manage residents': (actor) => editsSettings(actor) && hasFeature(actor, 'ManageResidentAccess'),
  /** The savings and tips of residents. */
  'see savings and tips': (actor) => readsSettings(actor) && hasFeature(actor, 'ManageApplication'),
  'write savings and tips': (actor) => editsSettings(actor) && hasFeature(actor, 'ManageApplication'),
} satisfies GeneralRights
