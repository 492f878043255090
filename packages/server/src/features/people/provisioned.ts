import type { Role } from '@caretaker/rules/identity/roles.ts'
import { internalRoles } from '@caretaker/rules/identity/roles.ts'
import { isVendorStaff, losesManager } from '@caretaker/rules/people/users.ts'
import { provisioning } from '@caretaker/rules/provisioning/member.ts'
import { refuse } from '@caretaker/contract/refusal.ts'
import type { Recorded } from '../../audit/audit.ts'
import type { Context } from '../../context.ts'
import { accountsIn } from '../../identity/accounts-in-transaction.ts'
import { ensureAccount } from '../../idp/accounts.ts'
import type { MemberRow } from '../../people/members.ts'
import { addMember, changeMemberDetails, changeMemberRole, changeMemberTags } from '../../people/members.ts'
import type { TenantTx } from '../../postgres/tenant.ts'
import { within } from '../../postgres/throttle.ts'
import { invite, refuseLastManager, removeFromClient } from './service.ts'
import * as store from './store.ts'

/** The commands with which the directory of a client decides who its members are. */
export interface ByDirectory {
  tx: TenantTx
  context: Pick<Context, 'config'>
  /** The initiator in the audit, if it is not the provisioning. */
  person?: Recorded
  /** Whether new members get an invitation by e-mail. */
  invites: boolean
}

export interface WantedMember {
  name: string
  email: string
  role: Role
  tags: readonly string[]
}

/** Vendor staff, whom the directory of a client never changes. */
export const isStaff = ({ context }: Pick<ByDirectory, 'context'>, { email, role }: { email: string; role?: Role }) =>
  isVendorStaff(email, context.config.vendorDomain) || (role !== undefined && internalRoles.includes(role))

/** The person who signs in with this e-mail; null if there is none. */
export const personWith = ({ tx, context }: ByDirectory, email: string): Promise<string | null> =>
  store.personWithEmail(tx, context.config.oidc.directory, email)

/** The same for several addresses, by address. */
export const personsWith = ({ tx, context }: ByDirectory, emails: readonly string[]): Promise<Map<string, string>> =>
  store.personsWithEmails(tx, context.config.oidc.directory, emails)

/**
 * Limit on invitations sent to one address because of directories, which can add and remove a user as often as they
 * like.
 */
const invitationsTo = { most: 3, seconds: 86_400 }

/**
 * Adds a member. Without an invitation they sign in by single sign-on, or choose a password through "Forgotten
 * password".
 */
export async function admitMember(
  by: ByDirectory,
  { tags, ...wanted }: WantedMember,
  personId: string | null,
): Promise<MemberRow> {
  const { tx, person = provisioning } = by
  const member = await addMember(tx, person, { ...wanted, tags: [...tags], personId })
  if (!member) throw refuse('conflict', `Another user has the e-mail address ${wanted.email}.`)
  await enableSignIn(by, member)
  return member
}

/** Lets a member who has not signed in yet do so: by an invitation, if the client wants it, or by an account without a password. */
async function enableSignIn({ tx, context, invites }: ByDirectory, member: MemberRow): Promise<void> {
  if (invites && (await within(tx, ['invitation by a directory', member.email], invitationsTo)))
    await invite({ tx, context, person: { id: null, name: 'Your organisation' } }, member)
  else if (context.config.oidc.embedded) await ensureAccount(accountsIn(tx), member.email, member.name)
}

/** The person who owns the corrected address of someone who has not signed in, to whom the membership then goes. */
async function ownerOfAddress(by: ByDirectory, email: string, members: readonly MemberRow[]): Promise<string | null> {
  const personId = await personWith(by, email)
  if (personId && members.some((other) => other.personId === personId))
    throw refuse('conflict', `Another user signs in with the e-mail address ${email}.`)
  return personId
}

/** Gives a member the name, e-mail, role and tags from the directory; returns the updated member. */
export async function followDirectory(
  directory: ByDirectory,
  member: MemberRow,
  { name, email, role, tags }: WantedMember,
  members: readonly MemberRow[],
): Promise<MemberRow> {
  const { tx, person = provisioning } = directory
  const next = { ...member, name, email, role, tags: [...tags] }
  if (email !== member.email && members.some((other) => other.id !== member.id && other.email === email))
    throw refuse('conflict', `Another user has the e-mail address ${email}.`)
  if (losesManager([member], [next])) refuseLastManager([...members], next)
  const isCorrected = email !== member.email && member.personId === null
  if (isCorrected) next.personId = await ownerOfAddress(directory, email, members)
  await changeMemberDetails(tx, person, member, { name, email }, next.personId)
  if (isCorrected) await enableSignIn(directory, next)
  await changeMemberRole(tx, person, member, role)
  if (member.tags.toSorted().join() !== next.tags.toSorted().join())
    await changeMemberTags(tx, person, member, next.tags)
  return next
}

/** Ends a membership at once, as a manager does; open pages and streams end with it. */
export async function endMembership(
  { tx, person = provisioning }: ByDirectory,
  member: MemberRow,
  members: readonly MemberRow[],
): Promise<void> {
  await removeFromClient({ tx, person }, member, [...members])
}
