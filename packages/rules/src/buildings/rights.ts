import { hasLevel, seesTenant } from '../identity/actor.ts'
import { levels } from '../identity/roles.ts'
import type { GeneralRights } from '../identity/rights.ts'

export const buildingsRights = {
  /** Buildings are hidden from limited users. */
  'see buildings': seesTenant,
  /** The device map, and the map on which a floor is positioned (core gaps B10). */
  'see maps': (actor) => hasLevel(actor, 'misc', levels.read),
} satisfies GeneralRights
