import type { Role } from '@caretaker/rules/identity/roles.ts'
import { internalRoles } from '@caretaker/rules/identity/roles.ts'
import { isVendorStaff, losesManager } from '@caretaker/rules/people/users.ts'
import { provisioning } from '@caretaker/rules/provisioning/member.ts'
import { refuse } from '@caretaker/contract/refusal.ts'
import type { Recorded } from '../../audit/audit.ts'
import type { Context } from '../../context.ts'
import { accountsIn } from '../../identity/accounts-in-transaction.ts'
import { ensureAccount } from '../../idp/accounts.ts'
import type { TenantTx } from '../../postgres/tenant.ts'
import { within } from '../../postgres/throttle.ts'
import { change, invite, recordNew, refuseLastManager, takeOut } from './service.ts'
import type { MemberRow } from './store.ts'
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

/** The person who signs in with this e-mail; null without one. */
export const personWith = ({ tx, context }: ByDirectory, email: string): Promise<string | null> =>
  store.personWithEmail(tx, context.config.oidc.directory, email)

/** The same for several addresses, by address. */
export const personsWith = ({ tx, context }: ByDirectory, emails: readonly string[]): Promise<Map<string, string>> =>
  store.personsWithEmails(tx, context.config.oidc.directory, emails)

/** Invitations that one address is sent because of directories: they can add and remove a user as often as they like. */
const invitationsTo = { most: 3, seconds: 86_400 }

/** Adds a member. Without an invitation they sign in by single sign-on, or choose a password by "Forgotten password". */
export async function admitMember(
  by: ByDirectory,
  { tags, ...wanted }: WantedMember,
  personId: string | null,
): Promise<MemberRow> {
  const { tx, person = provisioning } = by
  const member = await store.insertMember(tx, { ...wanted, tags: [...tags], personId })
  if (!member) throw refuse('conflict', `Another user has the e-mail address ${wanted.email}.`)
  await recordNew({ tx, person }, member)
  await enableSignIn(by, member)
  return member
}

/** Lets a member who has not signed in yet do so: by an invitation, if the client wants it, or by an account without a password. */
async function enableSignIn({ tx, context, invites }: ByDirectory, member: MemberRow): Promise<void> {
  if (invites && (await within(tx, ['invitation by a directory', member.email], invitationsTo)))
    await invite({ tx, context, person: { id: null, name: 'Your organisation' } }, member)
  else if (context.config.oidc.embedded) await ensureAccount(accountsIn(tx), member.email, member.name)
}

/** Gives the membership of someone who has not signed in to the owner of their corrected address; returns their person. */
async function moveInvitation(
  by: ByDirectory,
  member: MemberRow,
  members: readonly MemberRow[],
): Promise<string | null> {
  const personId = await personWith(by, member.email)
  if (personId && members.some((other) => other.personId === personId))
    throw refuse('conflict', `Another user signs in with the e-mail address ${member.email}.`)
  if (personId) await store.updateMember(by.tx, member.id, { person_id: personId })
  await store.redirectInvitation(by.tx, member.id, personId ? null : member.email)
  await enableSignIn(by, { ...member, personId })
  return personId
}

/** Gives a member the name, e-mail, role and tags of the directory; returns the member as they are then. */
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
  const by = { tx, person }
  const before = { name: member.name, email: member.email }
  const details = { name, email }
  await change(by, member, { action: 'user details changed', before, after: details }, details)
  if (email !== member.email && member.personId === null) next.personId = await moveInvitation(directory, next, members)
  else if (email !== member.email) await store.redirectInvitation(tx, member.id, email)
  const roles = { before: { role: member.role }, after: { role } }
  await change(by, member, { action: 'user role changed', ...roles }, { role })
  if (member.tags.toSorted().join() !== next.tags.toSorted().join())
    await change(
      by,
      member,
      {
        action: 'user tags changed',
        before: { accessRightsTags: await store.accessRightsTagNames(tx, member.tags) },
        after: { accessRightsTags: await store.accessRightsTagNames(tx, tags) },
      },
      { tag_ids: next.tags },
    )
  return next
}

/** Ends a membership at once, as a manager does; open pages and streams end with it. */
export async function endMembership(
  { tx, person = provisioning }: ByDirectory,
  member: MemberRow,
  members: readonly MemberRow[],
): Promise<void> {
  await takeOut({ tx, person }, member, [...members])
}
