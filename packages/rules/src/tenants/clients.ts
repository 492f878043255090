import type { Role } from '../identity/roles.ts'
import { inNaturalOrder } from '../texts/natural-order.ts'
import { isFound } from '../texts/search-form.ts'

/** A client in the client selection. */
export interface Client {
  id: string
  displayName: string
}

/** Clients whose display name contains each word of the search, sorted alphabetically. */
export function clientsMatching<T extends Client>(clients: readonly T[], search: string): T[] {
  return clients
    .filter((client) => isFound(search, [client.displayName]))
    .sort((a, b) => inNaturalOrder(a.displayName, b.displayName))
}

/**
 * Up to two initials of a name: of its first and last word; for a name without letters, such as emoji, its first
 * character.
 */
export function initialsOf(name: string): string {
  const letters = name.split(/\s+/).flatMap((word) => word.match(/[\p{L}\p{N}]/u)?.[0] ?? [])
  if (!letters.length) return [...new Intl.Segmenter('en').segment(name.trim())][0]?.segment ?? ''
  return [letters[0], letters.length > 1 ? letters.at(-1) : undefined].join('').toUpperCase()
}

/** A role in words: 'LightingEngineer' is 'Lighting engineer'. */
export function roleWords(role: Role): string {
  return role.replaceAll(/(?<=[a-z])[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)
}
