import { hasLevel, isEngineer, isManager, seesTenant } from '../identity/actor.ts'
import { levels } from '../identity/roles.ts'
import type { GeneralRights } from '../identity/rights.ts'

export const buildingsRights = {
  /** Users restricted to access rights tags do not see buildings. */
  'see buildings': seesTenant,
  /** Add and edit buildings, floors and plans (estate gaps A3, A6). */
  'edit buildings': (actor) => seesTenant(actor) && (isManager(actor, 'misc') || isEngineer(actor, 'lighting')),
  /** Whether a row of the list links to its building. */
  'be led to buildings': (actor) => seesTenant(actor) && isManager(actor, 'misc'),
  /** The device map, and the map for positioning a floor (core gaps B10). */
  'see maps': (actor) => hasLevel(actor, 'misc', levels.read),
} satisfies GeneralRights
