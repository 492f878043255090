import { isLimited, isManager, seesTenant } from '../identity/actor.ts'
import type { GeneralRights } from '../identity/rights.ts'

export const tagsRights = {
  /** New tags of the tenant. */
  'manage tags': (actor) => isManager(actor, 'misc'),
  /** Another name of a tag, and its end, are those of every device, the ones that a limited user does not see included. */
  'change tags': (actor) => isManager(actor, 'misc') && seesTenant(actor),
  /** Creating and deleting access rights tags: a manager of misc who carries none. */
  'manage access rights tags': (actor) => isManager(actor, 'misc') && !isLimited(actor),
} satisfies GeneralRights
