import { isManager, seesTenant } from '../identity/actor.ts'
import type { GeneralRights } from '../identity/rights.ts'

export const webhooksRights = {
  /**
   * An endpoint receives events of every device of the client, including those that a restricted user cannot see. An API key needs
   * explicit permission.
   */
  'manage webhooks': (actor) =>
    isManager(actor, 'misc') && seesTenant(actor) && (actor.key?.managesIntegrations ?? true),
} satisfies GeneralRights
