import { faultOf, hasAtMost, isNotIn, isWord } from '../forms/validators.ts'
import { reservedSegments } from '../links/addresses.ts'

/** Longest id, in characters. */
export const longestTenantId = 40

const rules = [
  isWord('An ID can contain only letters, digits and hyphens.'),
  hasAtMost(longestTenantId, `An ID can have at most ${longestTenantId} characters.`),
  isNotIn(reservedSegments, 'This ID is an address of the portal itself.'),
  // Rejects underscores, which are word characters: an id may become part of a host name.
  (id: string) =>
    /^[a-z0-9][a-z0-9-]*$/.test(id)
      ? undefined
      : 'An ID must begin with a letter or digit and cannot contain an underscore.',
]

/** A client's id as stored: ids are case-insensitive. */
export const tenantIdOf = (typed: string): string => typed.trim().toLowerCase()

/** The validation error of a new client's id, given in the form of `tenantIdOf`. */
export const tenantIdFault = (id: string): string | undefined => (id === '' ? 'ID is required!' : faultOf(id, rules))
