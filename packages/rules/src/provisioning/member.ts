import { emailPattern } from '../forms/validators.ts'
import type { GroupAccess } from '../identity/group-access.ts'
import { accessOfGroups } from '../identity/group-access.ts'
import type { Role } from '../identity/roles.ts'
import type { Attributes } from './attributes.ts'
import { isObject } from './values.ts'
import type { UserValues } from './values.ts'

/** Maximum users and groups of a client. */
export const mostUsers = 20_000
export const mostGroups = 2000
/** Maximum keys of a client at once: a second one replaces the first without a gap. */
export const mostProvisioningKeys = 2
/** Rate limit per key. */
export const callsOfProvisioning = { most: 3000, seconds: 60 } as const

const textOf = (value: unknown): string | undefined =>
  typeof value === 'string' && value.trim() !== '' ? value.trim() : undefined

/** The address that identifies the member; undefined if no attribute has one. */
export function emailOf({ userName, attributes }: Pick<UserValues, 'userName' | 'attributes'>): string | undefined {
  const emails = listIn(attributes['emails'])
  const preferred = [
    ...emails.filter((one) => one['primary'] === true),
    ...emails.filter((one) => String(one['type']).toLowerCase() === 'work'),
    ...emails,
    { value: userName },
  ]
  return preferred
    .flatMap((one) => textOf(one['value']) ?? [])
    .map((address) => address.normalize('NFC').toLowerCase())
    .find((address) => address.length <= 320 && emailPattern.test(address))
}

/** The possible names of the member, the best one first. */
export function namesOf({ userName, attributes }: Pick<UserValues, 'userName' | 'attributes'>): string[] {
  const name = isObject(attributes['name']) ? attributes['name'] : {}
  const parts = [textOf(name['givenName']), textOf(name['familyName'])].filter((part) => part !== undefined)
  const given = [textOf(attributes['displayName']), textOf(name['formatted']), parts.join(' ') || undefined]
  return [...given, userName.split('@')[0]].flatMap((one) => one?.replaceAll(/\s+/g, ' ').slice(0, 100).trim() || [])
}

/** The access of a user: by their groups, or by their own roles, which the same table names. */
export function accessOfUser(
  { active, attributes }: Pick<UserValues, 'active' | 'attributes'>,
  groups: readonly string[],
  table: readonly GroupAccess[],
): { role: Role; tags: readonly string[] } | undefined {
  if (!active) return undefined
  const roles = listIn(attributes['roles']).flatMap((one) =>
    [one['value'], one['display']].flatMap((text) => textOf(text) ?? []),
  )
  return accessOfGroups([...groups, ...roles], table)
}

const listIn = (value: unknown): Attributes[] => (Array.isArray(value) ? value.filter(isObject) : [])

const shape = /^scim_([a-z0-9-]{1,40})_[\w-]{43}$/

/** The prefix shows a key's client. */
export const provisioningKeyPrefix = (tenant: string) => `scim_${tenant}_`

/** The client named in a provisioning key; undefined for any other text. */
export const tenantOfProvisioningKey = (key: string): string | undefined => shape.exec(key)?.[1]

/** How the audit names the directory. */
export const provisioning = { id: null, name: 'Provisioning (SCIM)' } as const

/** Why an active user of the directory is not a member. */
export const noAccessTexts = {
  group: 'No group gives access',
  kept: 'No group gives a role, so the role from before stays',
  email: 'No valid e-mail address',
  name: 'No name that can be shown',
  vendor: 'Vendor staff are not changed by provisioning',
  other: 'Another user of the directory has this e-mail address',
  person: 'Another user of the client has this e-mail address and signs in with another one',
  removed: 'A manager removed this user. Create the user again to allow access',
  last: 'The last manager without restrictions keeps access',
} as const
