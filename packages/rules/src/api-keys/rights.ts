import { isManager, seesTenant } from '../identity/actor.ts'
import type { GeneralRights } from '../identity/rights.ts'

export const apiKeysRights = {
  /** A key may reach all of the client: managers make them, and see whose are there; never limited users. */
  'manage api keys': (actor) => isManager(actor, 'misc') && seesTenant(actor),
} satisfies GeneralRights
