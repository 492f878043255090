import { hasLevel } from '../identity/actor.ts'
import { levels } from '../identity/roles.ts'
import type { GeneralRights } from '../identity/rights.ts'

export const peopleRights = {
  /** Names of the tenant's users, for example of a view's authors. */
  'see users': (actor) => hasLevel(actor, 'users', levels.read),
  /**
   * The Users screen and every change on it; who may change whom is `whyNotChange`. A key only where whoever made it said so: whom it
   * makes a member outlives it.
   */
  'administer users': (actor) => hasLevel(actor, 'misc', levels.edit) && (actor.key?.administersUsers ?? true),
} satisfies GeneralRights
