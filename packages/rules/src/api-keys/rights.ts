import { isManager, seesTenant } from '../identity/actor.ts'
import type { GeneralRights } from '../identity/rights.ts'

export const apiKeysRights = {
  /**
   * A key can access the whole client: managers without tag restrictions create and list them. An API key needs explicit permission.
   */
  'manage api keys': (actor) =>
    isManager(actor, 'misc') && seesTenant(actor) && (actor.key?.managesIntegrations ?? true),
} satisfies GeneralRights
