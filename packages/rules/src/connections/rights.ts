import { hasLevel, isManager, seesTenant } from '../identity/actor.ts'
import { levels } from '../identity/roles.ts'
import type { GeneralRights } from '../identity/rights.ts'

export const connectionsRights = {
  /** A connection carries messages of all sensors of the client, so limited users never see it. */
  'see connections': (actor) => hasLevel(actor, 'misc', levels.read) && seesTenant(actor),
  /** The same roles that manage API keys and webhooks. */
  'manage connections': (actor) => isManager(actor, 'misc') && seesTenant(actor),
} satisfies GeneralRights
