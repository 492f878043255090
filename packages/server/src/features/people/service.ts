import { refuse } from '@caretaker/contract/refusal.ts'
import type { Actor } from '@caretaker/rules/identity/actor.ts'
import { can } from '@caretaker/rules/rights/can.ts'
import type { Role } from '@caretaker/rules/identity/roles.ts'
import { internalRoles } from '@caretaker/rules/identity/roles.ts'
import {
  isVendorStaff,
  losesManager,
  mayGrantRole,
  mayGrantTags,
  provisionedText,
  whyNotChange,
  whyNotTexts,
} from '@caretaker/rules/people/users.ts'
import type { Recorded } from '../../audit/audit.ts'
import type { Context } from '../../context.ts'
import { actorOf } from '../../http/access.ts'
import type { RemainingKey } from '../../identity/api-keys.ts'
import { activeKeysMadeBy } from '../../identity/api-keys.ts'
import type { Person } from '../../identity/person.ts'
import { accountsIn } from '../../identity/accounts-in-transaction.ts'
import { linkPlace } from '../../identity/password-link.ts'
import { endAllSessions, ensureAccount, findAccount } from '../../idp/accounts.ts'
import { removeFactors } from '../../idp/factors.ts'
import { mayWrite } from '../../idp/forgotten.ts'
import { ownerOfAddress } from '../../idp/sso-lookup.ts'
import type { Link } from '../../mail/account-emails.ts'
import { factorsChanged, invitation, passwordReset } from '../../mail/account-emails.ts'
import { postMail } from '../../mail/mail.ts'
import type { MemberRow, NewMember } from '../../people/members.ts'
import * as members from '../../people/members.ts'
import type { TenantTx } from '../../postgres/tenant.ts'
import { allowProvisioned, blockProvisioned } from '../../people/provisioned-users.ts'
import { chosenAccessRightsTag } from '../tags/store.ts'
import { leaveViews } from '../views/service.ts'
import * as store from './store.ts'

/** The person who makes the call: a member, or vendor staff. */
interface Inviting {
  tx: TenantTx
  context: Pick<Context, 'config'>
  person: Person
}
export interface Asking extends Inviting {
  actor: Actor
}

const memberAlready = 'This user is already a member.'

/** Adds a member and sends the invitation. A person with a known verified e-mail is active at once. */
export async function addMember(asking: Asking, wanted: Omit<NewMember, 'personId'>): Promise<MemberRow> {
  const { actor } = await asOfNow(asking)
  refuseRole(actor, wanted.role)
  await refuseTags(asking.tx, actor, wanted.tags, 'tags.0.value')
  return joined(asking, wanted, (member) => {
    const why = whyNotChange(actor, member, asking.context.config.vendorDomain)
    if (why) throw refuse('forbidden', whyNotTexts[why])
  })
}

/** Adds a manager to a tenant that the vendor sets up, and sends the invitation. */
export async function addManager(asking: Inviting, { name, email }: { name: string; email: string }): Promise<void> {
  await joined(asking, { name, email, role: 'Manager', tags: [] })
}

/** Adds a member of the vendor's staff to a tenant, with their role elsewhere; an existing member stays unchanged. */
export async function joinAsStaff({ tx, person }: Omit<Inviting, 'context'>, role: Role): Promise<void> {
  const { id: personId, name, email } = person
  if ((await store.listMembers(tx)).some((member) => member.personId === personId)) return
  const member = await members.addMember(tx, person, { name, email, role, tags: [], personId })
  if (!member) throw refuse('conflict', memberAlready)
}

async function joined(
  asking: Inviting,
  wanted: Omit<NewMember, 'personId'>,
  expectMayChange: (member: MemberRow) => void = () => undefined,
): Promise<MemberRow> {
  const { tx, context, person } = asking
  const { directory } = context.config.oidc
  const personId = await store.personWithEmail(tx, directory, wanted.email)
  const member = await members.addMember(tx, person, { ...wanted, personId })
  if (!member) {
    const found = await store.memberWithEmail(tx, wanted.email)
    if (!found || (await store.signInOf(tx, found, directory)) !== 'other provider')
      throw refuse('conflict', memberAlready)
    expectMayChange(found)
    await members.inviteAgain(tx, person, found)
    await invite(asking, found)
    return found
  }
  await allowProvisioned(tx, member)
  await invite(asking, member)
  return member
}

/**
 * Changes the name and e-mail of a member in the tenant. A member who has not signed in yet is invited under the new
 * e-mail. An existing account stays unchanged, because it may belong to members of other tenants.
 */
export async function changeDetails(
  asking: Asking,
  id: string,
  details: { name: string; email: string },
): Promise<void> {
  const { context } = asking
  const { actor, member, all } = await memberToEdit(asking, id)
  const moves = details.email !== member.email
  if (moves && all.some((other) => other.email === details.email)) throw refuse('conflict', memberAlready)
  // A vendor e-mail would protect the member from changes.
  if (moves && isVendorStaff(details.email, context.config.vendorDomain) && !actor.features.includes('SystemDebug'))
    throw refuse('forbidden', whyNotTexts['vendor staff'])
  const { tx, person } = asking
  if (!moves || member.personId) return members.changeMemberDetails(tx, person, member, details)
  const personId = await store.personWithEmail(tx, context.config.oidc.directory, details.email)
  if (personId && all.some((other) => other.personId === personId)) throw refuse('conflict', memberAlready)
  await members.changeMemberDetails(tx, person, member, details, personId)
  await invite(asking, { ...member, ...details, personId })
}

export async function changeTags(asking: Asking, id: string, tags: string[]): Promise<void> {
  const { tx, person } = asking
  const { actor, member, all } = await memberToEdit(asking, id)
  await refuseTags(tx, actor, tags, 'tags.0')
  refuseLastManager(all, { ...member, tags })
  await members.changeMemberTags(tx, person, member, tags)
}

export async function changeRole(asking: Asking, id: string, role: Role): Promise<void> {
  const { actor, member, all } = await memberToEdit(asking, id)
  if (role === member.role) return
  refuseRole(actor, role)
  refuseLastManager(all, { ...member, role })
  await members.changeMemberRole(asking.tx, asking.person, member, role)
}

/**
 * Removes a member from the tenant, along with any pending invitation and private views. The account stays. The
 * directory of the client cannot add them again.
 */
export async function removeMember(asking: Asking, id: string): Promise<RemainingKey[]> {
  const { actor, member, all } = await memberToChange(asking, id)
  const keys = await removeFromClient(asking, member, all)
  await blockProvisioned(asking.tx, member)
  return can(actor, 'manage api keys') ? keys : []
}

/** Ends a membership, and returns the API keys that the person created: they belong to the client and stay valid. */
export async function removeFromClient(
  { tx, person }: { tx: TenantTx; person: Recorded },
  member: MemberRow,
  all: MemberRow[],
): Promise<RemainingKey[]> {
  refuseLastManager(all, member, 'gone')
  const keys = member.personId ? await activeKeysMadeBy(tx, member.personId) : []
  const after = keys.length ? { remainingApiKeys: keys.map(({ name }) => name) } : null
  await members.deleteMember(tx, person, member, after)
  await leaveViews({ tx, person }, member.id)
  return keys
}

/** E-mails a link to choose a new password, only to the address of the user's own account. */
export async function resetPassword(asking: Asking, id: string): Promise<void> {
  const { tx, context, person } = asking
  const { member } = await memberToChange(asking, id)
  if (!context.config.oidc.embedded)
    throw refuse(
      'refused',
      "Passwords are managed by your organisation's identity provider. Please ask its administrator for a new one.",
    )
  const account = await accountOf(asking, member)
  if (!account)
    throw refuse(
      'refused',
      'This user signs in with another identity provider. Only that provider can change the password.',
    )
  if (await isSsoRequired(tx, { email: account.email, role: member.role }))
    throw refuse('refused', 'This user signs in with the provider of your organisation and needs no password.')
  if (!(await mayWrite(tx, account.id)))
    throw refuse(
      'refused',
      'This user has been sent several links within the hour. Please wait before sending another.',
    )
  const address = linkPlace(context.config.origin)
  const letter = passwordReset({ ...account, name: member.name }, { by: person.name, address })
  await postMail(tx, context.config, { ...letter, linkAccount: account.id })
  members.recordSignInChange(tx, person, member, 'password reset sent')
}

/** Signs a user out of all browsers. A session opens all clients of a person, so it ends for all of them. */
export async function endSessions(asking: Asking, checked: Checked): Promise<void> {
  const { tx, person } = asking
  const member = await checkedMember(asking, checked)
  const account = await expectAccount(asking, member)
  await endAllSessions(accountsIn(tx), account.id)
  members.recordSignInChange(tx, person, member, 'sessions ended')
}

/** The person of a member whom the actor may change; null for a member who has never signed in. */
export async function personOfMember(asking: Asking, id: string): Promise<string | null> {
  const { member } = await memberToChange(asking, id)
  return member.personId
}

/** A member, and the person whose clients were checked. */
interface Checked {
  id: string
  personId: string | null
}

/** The member, if the person is still the same: another person's clients were not checked. */
async function checkedMember(asking: Asking, { id, personId }: Checked): Promise<MemberRow> {
  const { member } = await memberToChange(asking, id)
  if (member.personId !== personId) throw refuse('conflict', 'This user has changed in the meantime. Please try again.')
  return member
}

/** Removes the second factors of a user, signs them out everywhere, and notifies them. */
export async function resetSecondFactor(asking: Asking, checked: Checked): Promise<void> {
  const { tx, context, person } = asking
  const member = await checkedMember(asking, checked)
  const account = await expectAccount(asking, member)
  const accounts = accountsIn(tx)
  if (!(await removeFactors(accounts, account.id))) return
  await endAllSessions(accounts, account.id)
  const address = `${context.config.origin}/account/password`
  const change = `your second factor was reset by ${person.name}`
  await postMail(tx, context.config, factorsChanged({ ...account, name: member.name }, { change, address }))
  members.recordSignInChange(tx, person, member, 'second factor reset')
}

async function expectAccount(asking: Asking, member: MemberRow) {
  const account = asking.context.config.oidc.embedded ? await accountOf(asking, member) : undefined
  if (!account)
    throw refuse('refused', 'This user signs in with another identity provider. Please contact its administrator.')
  return account
}

/** The present members, locked, with the actor among them: rights may have changed since the call began. */
async function asOfNow({ tx, person }: Asking): Promise<{ actor: Actor; all: MemberRow[] }> {
  const all = await store.holdMembers(tx)
  const now = await actorOf(tx, person)
  if (!can(now, 'administer users')) throw refuse('forbidden')
  return { actor: now, all }
}

/** The member, if the actor may change them. */
async function memberToChange(asking: Asking, id: string) {
  const { actor, all } = await asOfNow(asking)
  const member = all.find((one) => one.id === id)
  if (!member) throw refuse('not found')
  const why = whyNotChange(actor, member, asking.context.config.vendorDomain)
  if (why) throw refuse('forbidden', whyNotTexts[why])
  return { actor, member, all }
}

/** The same for data that the client's directory determines for the users that it provisions. */
async function memberToEdit(asking: Asking, id: string) {
  const found = await memberToChange(asking, id)
  if ((await store.provisionedMembers(asking.tx, [id])).has(id)) throw refuse('conflict', provisionedText)
  return found
}

function refuseRole(actor: Actor, role: Role): void {
  if (!mayGrantRole(actor, role)) throw refuse('forbidden', 'You cannot assign this role.')
}

async function refuseTags(tx: TenantTx, actor: Actor, tags: string[], field: string): Promise<void> {
  for (const tag of tags) await chosenAccessRightsTag(tx, tag, field)
  if (!mayGrantTags(actor, tags)) throw refuse('forbidden', 'You can only assign your own access rights tags.')
}

export function refuseLastManager(all: MemberRow[], changed: MemberRow, gone?: 'gone'): void {
  const others = all.filter((member) => member.id !== changed.id)
  if (losesManager(all, gone ? others : [...others, changed]))
    throw refuse('conflict', 'A client needs at least one manager without restrictions.')
}

async function accountOf({ tx, context }: Asking, member: MemberRow) {
  if (!member.personId) {
    const id = await ensureAccount(accountsIn(tx), member.email, member.name)
    return { id, email: member.email }
  }
  const { issuer, subject } = await store.identityOf(tx, member.personId)
  if (issuer !== context.config.oidc.directory || !/^[0-9a-f-]{36}$/i.test(subject)) return undefined
  return findAccount(accountsIn(tx), subject)
}

/** Sends the invitation with the sign-in link. */
export async function invite(
  asking: Omit<Inviting, 'person'> & { person: Recorded },
  member: MemberRow,
): Promise<void> {
  const { tx, context, person } = asking
  const client = await store.clientName(tx)
  const { linkAccount, ...link } = await wayIn(asking, member)
  const letter = invitation(member, { by: person.name, client, link })
  await postMail(tx, context.config, { ...letter, ...(linkAccount !== undefined && { linkAccount }) })
}

/** Whether a member signs in with a client's provider and cannot use a password. */
async function isSsoRequired(tx: TenantTx, { email, role }: Pick<MemberRow, 'email' | 'role'>): Promise<boolean> {
  return !internalRoles.includes(role) && (await ownerOfAddress(accountsIn(tx), email))?.isRequired === true
}

async function wayIn(
  { tx, context }: Pick<Inviting, 'tx' | 'context'>,
  member: MemberRow,
): Promise<Link & { linkAccount?: string }> {
  const { origin, oidc } = context.config
  if (oidc.embedded && (await store.signInOf(tx, member, oidc.directory)) !== 'active') {
    const account = await ensureAccount(accountsIn(tx), member.email, member.name)
    const found = await findAccount(accountsIn(tx), account)
    if (!found?.hasPassword && !(await isSsoRequired(tx, member)))
      return { kind: 'password', address: linkPlace(origin), linkAccount: account }
  }
  return { kind: 'sign in', address: `${origin}/${tx.tenant}/Dashboard` }
}
