import { faultOf, hasAtMost, isNotIn, isWord } from '../forms/validators.ts'
import { reservedSegments } from '../links/addresses.ts'

/** Characters of the longest id. */
export const longestTenantId = 40

const rules = [
  isWord('An ID has letters, digits and hyphens only.'),
  hasAtMost(longestTenantId, `An ID has at most ${longestTenantId} characters.`),
  isNotIn(reservedSegments, 'This ID is an address of the portal itself.'),
  // Underscores are word characters, and host names, to which an id may come, have none.
  (id: string) =>
    /^[a-z0-9][a-z0-9-]*$/.test(id) ? undefined : 'An ID begins with a letter or digit and has no underscore.',
]

/** A client's id as it is kept: ids that differ by letter case are the same. */
export const tenantIdOf = (typed: string): string => typed.trim().toLowerCase()

/** What keeps an id, as `tenantIdOf` gives it, from being that of a new client, in words. */
export const tenantIdFault = (id: string): string | undefined => (id === '' ? 'ID is required!' : faultOf(id, rules))
