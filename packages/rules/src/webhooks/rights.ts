import { isManager, seesTenant } from '../identity/actor.ts'
import type { GeneralRights } from '../identity/rights.ts'

export const webhooksRights = {
  /** An endpoint is told of every device of the client, those that a limited user does not see included. */
  'manage webhooks': (actor) => isManager(actor, 'misc') && seesTenant(actor),
} satisfies GeneralRights
