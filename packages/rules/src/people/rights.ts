import { hasLevel } from '../identity/actor.ts'
import { levels } from '../identity/roles.ts'
import type { GeneralRights } from '../identity/rights.ts'

export const peopleRights = {
  /** Names of the tenant's users, for example of a view's authors. */
  'see users': (actor) => hasLevel(actor, 'users', levels.read),
  /**
   * The Users screen and every change on it; `whyNotChange` decides for a single user. A key needs explicit permission,
   * since users that it invites outlive it.
   */
  'administer users': (actor) => hasLevel(actor, 'misc', levels.edit) && (actor.key?.administersUsers ?? true),
  /** The log of personal data views; restricted managers see only their properties' entries. */
  'see reads of personal data': (actor) => hasLevel(actor, 'users', levels.manage),
  /** To see the portal with the rights of another user; `whyNotViewAs` decides for a single user. */
  'view as users': (actor) => hasLevel(actor, 'users', levels.manage) && !actor.key,
} satisfies GeneralRights
