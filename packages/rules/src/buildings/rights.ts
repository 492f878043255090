import { hasLevel, isEngineer, isManager, seesTenant } from '../identity/actor.ts'
import { levels } from '../identity/roles.ts'
import type { GeneralRights } from '../identity/rights.ts'

export const buildingsRights = {
  /** Buildings are hidden from limited users. */
  'see buildings': seesTenant,
  /** To add one, and to change it, its floors and their plans (estate gaps A3, A6). */
  'edit buildings': (actor) => seesTenant(actor) && (isManager(actor, 'misc') || isEngineer(actor, 'lighting')),
  /** Whether a row of the list leads to its building. */
  'be led to buildings': (actor) => seesTenant(actor) && isManager(actor, 'misc'),
  /** The device map, and the map on which a floor is positioned (core gaps B10). */
  'see maps': (actor) => hasLevel(actor, 'misc', levels.read),
} satisfies GeneralRights
