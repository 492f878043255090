import { isManager, seesTenant } from '../identity/actor.ts'
import type { GeneralRights } from '../identity/rights.ts'

export const alertsRights = {
  /** What is told to whom, of every device that carries a tag: those that a limited user does not see included. */
  'manage alerts': (actor) => isManager(actor, 'misc') && seesTenant(actor),
} satisfies GeneralRights
