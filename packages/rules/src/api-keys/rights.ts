import { isManager, seesTenant } from '../identity/actor.ts'
import type { GeneralRights } from '../identity/rights.ts'

export const apiKeysRights = {
  /** A key can access the whole client: managers without tag restrictions create and list them. */
  'manage api keys': (actor) => isManager(actor, 'misc') && seesTenant(actor),
} satisfies GeneralRights
