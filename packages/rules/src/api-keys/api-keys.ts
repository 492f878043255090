import type { Actor } from '../identity/actor.ts'
import type { Role } from '../identity/roles.ts'
import { areas, internalRoles, levelOf, levels, roles } from '../identity/roles.ts'

/** Days that a key is good for at most. */
export const longestKeyDays = 365
/** What the page offers. */
export const keyDays = [30, 90, 180, longestKeyDays] as const
/** Keys of a client that hold at a time. */
export const mostKeys = 50
/** Calls of one key. */
export const callsOfKey = { most: 1_200, seconds: 60 } as const

/** Roles that somebody may give a key: those that the portal grants, with no more rights anywhere than they have themselves. */
export const rolesForKey = (maker: Pick<Actor, 'role'>): Role[] =>
  roles.filter(
    (role) => !internalRoles.includes(role) && areas.every((area) => levelOf(role, area) <= levelOf(maker.role, area)),
  )

/** Roles whose keys can be let administer users. */
export const roleAdministersUsers = (role: Role) => levelOf(role, 'misc') >= levels.edit

export type KeyState = 'active' | 'expired' | 'revoked'

/** Whether a key still holds; times in ms since the epoch. */
export function keyStateAt(key: { expiresAt: number; revokedAt: number | null }, now: number): KeyState {
  if (key.revokedAt !== null) return 'revoked'
  return key.expiresAt <= now ? 'expired' : 'active'
}

/** A key tells whose it is, and is told from other secrets by its beginning. */
export const keyPrefix = (tenant: string) => `caretaker_${tenant}_`
const shape = /caretaker_([a-z0-9-]{1,40})_[\w-]{43}/

/** The client that a key names; undefined for anything else. */
export function tenantOfKey(key: string): string | undefined {
  const found = shape.exec(key)
  return found?.[0] === key ? found[1] : undefined
}

/** Whether a key stands in an address, where every proxy and every history would keep it. */
export const holdsKey = (address: string): boolean => shape.test(address)

/** What a person who removes a user reads about the API keys that the user made; nothing without any. */
export function remainingKeyLines(name: string, keys: readonly { name: string }[]): string[] {
  if (!keys.length) return []
  const names = keys.map((key) => key.name).join(', ')
  return keys.length === 1
    ? [
        `1 API key that ${name} made still works: ${names}.`,
        'Revoke it in Settings, API keys, if nothing should use it.',
      ]
    : [
        `${keys.length} API keys that ${name} made still work: ${names}.`,
        'Revoke them in Settings, API keys, if nothing should use them.',
      ]
}
