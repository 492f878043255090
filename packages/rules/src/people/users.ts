import type { Actor } from '../identity/actor.ts'
import { isLimited } from '../identity/actor.ts'
import type { Role } from '../identity/roles.ts'
import { internalRoles, roles } from '../identity/roles.ts'
import { peopleRights } from './rights.ts'

/** A tenant's user, with the facts that decide who may change them. */
export interface Member {
  /** The person behind the user; null until the invitation is accepted. */
  personId: string | null
  role: Role
  tags: readonly string[]
  email: string
}

const rank: Record<Role, number> = {
  Guest: 1,
  LightingEngineer: 2,
  BoilerEngineer: 2,
  Manager: 3,
  Admin: 4,
  Developer: 5,
}

/** The roles available in the user form. */
export const grantableRoles: readonly Role[] = roles.filter((role) => !internalRoles.includes(role))

/** The form value for 'No restrictions' instead of an access rights tag; sent as null. */
export const noRestrictions = 'reset'

/** The key of the group of users without an access rights tag; the key of other groups is their tag. */
export const noTagGroup = 'noTag'

/** Whether an e-mail address belongs to the staff of the vendor. */
export function isVendorStaff(email: string, vendorDomain: string): boolean {
  return email.toLowerCase().endsWith(`@${vendorDomain.toLowerCase()}`)
}

/** The access rights tag in a user's row: the first of their tags, or null. */
export function accessRightsTagOf(tags: readonly string[]): string | null {
  return tags[0] ?? null
}

/** Why a user cannot be changed. */
export const whyNotTexts = {
  'no right': "You don't have permission.",
  yourself: 'You cannot change your own user. Another manager can.',
  'higher role': 'This user has a higher role than you.',
  'other restrictions': 'You can only change users who are restricted to your own access rights tags.',
  'vendor staff': 'Vendor staff cannot be changed here.',
} as const
export type DisabledReason = keyof typeof whyNotTexts

/** Why the role and details of a user provisioned by the client's directory are disabled. */
export const provisionedText = 'This user comes from your directory. Change them there.'
/** Why the portal cannot be viewed as a user. */
export const whyNotViewTexts = {
  'no right': "You don't have permission.",
  'not lower': 'You can only view the portal as a user with lower rights than yours.',
  'other restrictions': 'You can only view the portal as users who are restricted to your own access rights tags.',
  'vendor staff': 'The portal cannot be viewed as vendor staff.',
} as const
export type WhyNotView = keyof typeof whyNotViewTexts

/**
 * Who may change whom (decisions, 'Who may change whom'): edit level on misc; users cannot change themselves or a user
 * with a higher role; restricted users only users with the same tags; vendor staff only while SystemDebug is on.
 */
export function whyNotChange(actor: Actor, member: Member, vendorDomain: string): DisabledReason | undefined {
  if (!peopleRights['administer users'](actor)) return 'no right'
  if (member.personId === actor.userId) return 'yourself'
  if (rank[member.role] > rank[actor.role]) return 'higher role'
  if (!mayGrantTags(actor, member.tags)) return 'other restrictions'
  if (isVendorStaff(member.email, vendorDomain) && !actor.features.includes('SystemDebug')) return 'vendor staff'
  return undefined
}

/** Why the actor cannot view the portal as this user: only with lower rights, and never as vendor staff. */
export function whyNotViewAs(
  actor: Actor,
  { role, tags, isOfVendor }: Pick<Member, 'role' | 'tags'> & { isOfVendor: boolean },
): WhyNotView | undefined {
  if (!peopleRights['view as users'](actor)) return 'no right'
  if (rank[role] >= rank[actor.role]) return 'not lower'
  if (!mayGrantTags(actor, tags)) return 'other restrictions'
  return isOfVendor ? 'vendor staff' : undefined
}

/** Whether the actor may assign these tags: restricted users can assign only their own. */
export function mayGrantTags(actor: Actor, tags: readonly string[]): boolean {
  return !isLimited(actor) || (tags.length > 0 && tags.every((tag) => actor.tags.includes(tag)))
}

/** Whether the actor may assign this role: neither an internal one nor one above their own. */
export function mayGrantRole(actor: Actor, role: Role): boolean {
  return grantableRoles.includes(role) && rank[role] <= rank[actor.role]
}

/**
 * Whether a change would leave the tenant without an unrestricted manager. Managers who have signed in take precedence
 * over invited ones, who may never come; a tenant with neither has nothing to lose.
 */
export function losesManager(before: readonly Manager[], after: readonly Manager[]): boolean {
  const manages = (member: Manager) => member.role === 'Manager' && member.tags.length === 0
  const present = (member: Manager) => manages(member) && member.personId !== null
  if (before.some(present)) return !after.some(present)
  return before.some(manages) && !after.some(manages)
}
type Manager = Pick<Member, 'role' | 'tags' | 'personId'>
