import type { Actor } from '../identity/actor.ts'
import { isLimited } from '../identity/actor.ts'
import type { Role } from '../identity/roles.ts'
import { internalRoles, roles } from '../identity/roles.ts'
import { peopleRights } from './rights.ts'

/** A member of a tenant, as a question about changing them sees it. */
export interface Member {
  /** The person behind the membership; null until the invitation is taken up. */
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

/** The roles that the portal grants: those that the user form offers. */
export const grantableRoles: readonly Role[] = roles.filter((role) => !internalRoles.includes(role))

/** The value that stands for 'No restrictions' in the choice of an access rights tag; sent as null. */
export const noRestrictions = 'reset'

/** The key of the group of those who carry no access rights tag; that of any other group is its tag. */
export const noTagGroup = 'noTag'

/** Whether an e-mail belongs to the staff of the vendor organisation. */
export function isVendorStaff(email: string, vendorDomain: string): boolean {
  return email.toLowerCase().endsWith(`@${vendorDomain.toLowerCase()}`)
}

/** The access rights tag of a user's row: the first of the tags they carry, or null. */
export function accessRightsTagOf(tags: readonly string[]): string | null {
  return tags[0] ?? null
}

/** Why somebody may not change a member, in the words in which it is said. */
export const whyNotTexts = {
  'no right': "You don't have permission.",
  yourself: 'You cannot change yourself. Another manager can.',
  'higher role': 'This user has a higher role than you.',
  'other restrictions': 'You can only change users who are restricted to your own access rights tags.',
  'vendor staff': 'Staff of the vendor cannot be changed here.',
} as const
export type WhyNot = keyof typeof whyNotTexts

/**
 * Who may change whom (decisions, 'Who may change whom'): edit level on misc; nobody themselves, nor a person of a higher
 * role; a limited user only people restricted to the same tags; vendor staff only while SystemDebug is on.
 */
export function whyNotChange(actor: Actor, member: Member, vendorDomain: string): WhyNot | undefined {
  if (!peopleRights['administer users'](actor)) return 'no right'
  if (member.personId === actor.userId) return 'yourself'
  if (rank[member.role] > rank[actor.role]) return 'higher role'
  if (!mayGrantTags(actor, member.tags)) return 'other restrictions'
  if (isVendorStaff(member.email, vendorDomain) && !actor.features.includes('SystemDebug')) return 'vendor staff'
  return undefined
}

/** Whether the actor may give somebody these tags: a limited user hands on no more than they have. */
export function mayGrantTags(actor: Actor, tags: readonly string[]): boolean {
  return !isLimited(actor) || (tags.length > 0 && tags.every((tag) => actor.tags.includes(tag)))
}

/** Whether the actor may give somebody this role: never an internal one, never one above their own. */
export function mayGrantRole(actor: Actor, role: Role): boolean {
  return grantableRoles.includes(role) && rank[role] <= rank[actor.role]
}

/**
 * Whether a change would leave the tenant without a manager who carries no restrictions. One who has signed in counts for
 * more than one who is only invited and may never come; a tenant that has neither has nothing to lose.
 */
export function losesManager(before: readonly Manager[], after: readonly Manager[]): boolean {
  const manages = (member: Manager) => member.role === 'Manager' && member.tags.length === 0
  const present = (member: Manager) => manages(member) && member.personId !== null
  if (before.some(present)) return !after.some(present)
  return before.some(manages) && !after.some(manages)
}
type Manager = Pick<Member, 'role' | 'tags' | 'personId'>
