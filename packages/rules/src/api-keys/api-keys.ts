import type { Actor } from '../identity/actor.ts'
import type { Role } from '../identity/roles.ts'
import { areas, internalRoles, levelOf, levels, roles } from '../identity/roles.ts'

/** Longest lifetime of a key, in days. */
export const longestKeyDays = 365
/** The lifetimes that the page offers, in days. */
export const keyDays = [30, 90, 180, longestKeyDays] as const
/** The most valid keys per client. */
export const mostKeys = 50
/** Rate limit per key. */
export const callsOfKey = { most: 1_200, seconds: 60 } as const

/**
 * Roles that a user may give a key: those granted in the portal, with no more rights in any area than the user's own
 * role.
 */
export const rolesForKey = (maker: Pick<Actor, 'role'>): Role[] =>
  roles.filter(
    (role) => !internalRoles.includes(role) && areas.every((area) => levelOf(role, area) <= levelOf(maker.role, area)),
  )

/** Whether keys with this role can be allowed to administer users. */
export const roleAdministersUsers = (role: Role) => levelOf(role, 'misc') >= levels.edit

/** Whether a key with this role and these tags can be allowed to manage API keys and webhooks. */
export const keyManagesIntegrations = (role: Role, tags: readonly string[]) =>
  levelOf(role, 'misc') >= levels.manage && !tags.length

export type KeyState = 'active' | 'expired' | 'revoked'

/** The state of a key; times in ms since the epoch. */
export function keyStateAt(key: { expiresAt: number; revokedAt: number | null }, now: number): KeyState {
  if (key.revokedAt !== null) return 'revoked'
  return key.expiresAt <= now ? 'expired' : 'active'
}

/** The prefix shows a key's client and distinguishes keys from other secrets. */
export const keyPrefix = (tenant: string) => `caretaker_${tenant}_`
const shape = /caretaker_([a-z0-9-]{1,40})_[\w-]{43}/

/** The client named in a key; undefined for any other text. */
export function tenantOfKey(key: string): string | undefined {
  const found = shape.exec(key)
  return found?.[0] === key ? found[1] : undefined
}

/** Whether an address contains a key, where proxies and browser histories would store it. */
export const holdsKey = (address: string): boolean => shape.test(address)

/** Warnings, shown when a user is removed, about API keys that the user made; empty if there are none. */
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
