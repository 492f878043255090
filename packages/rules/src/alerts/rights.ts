import { isManager, seesTenant } from '../identity/actor.ts'
import type { GeneralRights } from '../identity/rights.ts'

export const alertsRights = {
  /** Rules cover every device with a tag, including devices that a restricted user cannot see. */
  'manage alerts': (actor) => isManager(actor, 'misc') && seesTenant(actor),
} satisfies GeneralRights
