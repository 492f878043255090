import { isLimited, isManager, seesTenant } from '../identity/actor.ts'
import type { GeneralRights } from '../identity/rights.ts'

export const tagsRights = {
  /** Create tags of the tenant. */
  'manage tags': (actor) => isManager(actor, 'misc'),
  /** Rename and delete tags, which affects every device, including those that a restricted user cannot see. */
  'change tags': (actor) => isManager(actor, 'misc') && seesTenant(actor),
  /** Create and delete access rights tags: managers of misc who have none. */
  'manage access rights tags': (actor) => isManager(actor, 'misc') && !isLimited(actor),
} satisfies GeneralRights
