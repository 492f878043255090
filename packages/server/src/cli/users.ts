import type { Role } from '@caretaker/rules/identity/roles.ts'
import { operator as person } from '../audit/audit.ts'
import { removeFromClient } from '../features/people/service.ts'
import { allowProvisioned, blockProvisioned } from '../people/provisioned-users.ts'
import type { Erasure } from '../features/tenants/removal/erase.ts'
import { erasePerson } from '../features/tenants/removal/erase.ts'
import type { SignIn } from '../features/people/store.ts'
import * as store from '../features/people/store.ts'
import type { RemainingKey } from '../identity/api-keys.ts'
import type { Account } from '../idp/accounts.ts'
import { endAllSessions, ensureAccount, findAccount } from '../idp/accounts.ts'
import { removeFactors } from '../idp/factors.ts'
import { newPasswordLink } from '../idp/links.ts'
import type { MemberRow } from '../people/members.ts'
import { addMember, inviteAgain, recordSignInChange } from '../people/members.ts'
import { inTenant } from '../postgres/tenant.ts'
import type { Operator } from './operator.ts'
import { OperatorError, asked, expectTenant, listTenants } from './operator.ts'

interface OneUser {
  tenant: string
  email: string
}

/**
 * Makes someone a member, or invites again a member who has not signed in yet. They are bound at their first sign-in
 * by their verified e-mail; with the embedded provider the result includes the link to choose a password, unless they
 * have one.
 */
export async function inviteUser(
  operator: Operator,
  { tenant, email, name, role }: OneUser & { name: string; role: Role },
): Promise<{ link?: string; role: Role; again: boolean }> {
  const { db, owner, config } = operator
  const { directory, embedded } = config.oidc
  await expectTenant(operator, tenant)
  const { member, again } = await inTenant(db, tenant, async (tx) => {
    const personId = await store.personWithEmail(tx, directory, email)
    const added = await addMember(tx, person, { name, email, role, tags: [], personId })
    if (added) {
      await allowProvisioned(tx, added)
      return { member: added, again: false }
    }
    const found = await store.memberWithEmail(tx, email)
    if (!found || (await store.signInOf(tx, found, directory)) === 'active')
      throw new OperatorError(
        `${email} is already a member of ${tenant}.${embedded && found ? ' caretaker user link creates a new password link.' : ''}`,
      )
    await inviteAgain(tx, person, found)
    return { member: found, again: true }
  })
  const invited = { role: member.role, again }
  if (!embedded) return invited
  const account = await ensureAccount(owner, email, member.name)
  if ((await findAccount(owner, account))?.hasPassword) return invited
  return { ...invited, link: await newPasswordLink(config, owner, account) }
}

/** Creates a new link with which a member chooses a password at the embedded provider. Former links stop working. */
export async function linkUser(
  operator: Operator,
  { tenant, email }: OneUser,
): Promise<{ link: string; email: string }> {
  const { db, owner, config } = operator
  const { member, account } = await accountOf(operator, { tenant, email })
  await inTenant(db, tenant, async (tx) => recordSignInChange(tx, person, member, 'password link made'))
  return { link: await newPasswordLink(config, owner, account.id), email: account.email }
}

/** Removes the second factors of a member and signs them out everywhere; false where they had none. */
export async function resetSecondFactor(operator: Operator, { tenant, email }: OneUser): Promise<boolean> {
  const { db, owner } = operator
  const { member, account } = await accountOf(operator, { tenant, email })
  if (!(await removeFactors(owner, account.id))) return false
  await endAllSessions(owner, account.id)
  await inTenant(db, tenant, async (tx) => recordSignInChange(tx, person, member, 'second factor reset'))
  return true
}

/** A member with their account at the embedded provider. */
async function accountOf(
  operator: Operator,
  { tenant, email }: OneUser,
): Promise<{ member: MemberRow; account: Account }> {
  const { db, owner, config } = operator
  const { directory, embedded } = config.oidc
  await expectTenant(operator, tenant)
  if (!embedded) throw new OperatorError(`Passwords are kept by ${directory} (OIDC_ISSUER). Change them there.`)
  const { member, subject } = await inTenant(db, tenant, async (tx) => {
    const found = expectMember(await store.memberWithEmail(tx, email), { tenant, email })
    const signIn = await store.signInOf(tx, found, directory)
    if (signIn === 'other provider')
      throw new OperatorError(
        `${email} is known to another identity provider. Invite them here with caretaker user invite.`,
      )
    return { member: found, subject: found.personId && (await store.identityOf(tx, found.personId)).subject }
  })
  const id = subject ?? (await ensureAccount(owner, member.email, member.name))
  const account = await findAccount(owner, id)
  if (!account) throw new OperatorError(`${email} has no account at the embedded identity provider.`)
  return { member, account }
}

export interface ListedUser {
  tenant: string
  id: string
  email: string
  name: string
  role: Role
  signIn: SignIn
}

/** The members of a client, or of all. */
export async function* listUsers(operator: Operator, tenant?: string): AsyncGenerator<ListedUser> {
  if (tenant !== undefined) await expectTenant(operator, tenant)
  const { directory } = operator.config.oidc
  const tenants = tenant === undefined ? (await listTenants(operator)).map(({ id }) => id) : [tenant]
  for (const id of tenants)
    for (const { issuer, personId: _, tags: __, ...member } of await inTenant(
      operator.db,
      id,
      store.membersWithIssuer,
    )) {
      const signIn = issuer === null ? 'invited' : issuer === directory ? 'active' : 'other provider'
      yield { tenant: id, ...member, signIn }
    }
}

/** Removes a member from a client, as the portal does. Returns the API keys that they created, which keep working. */
export async function removeUser(operator: Operator, { tenant, email }: OneUser): Promise<RemainingKey[]> {
  await expectTenant(operator, tenant)
  return asked(
    inTenant(operator.db, tenant, async (tx) => {
      const members = await store.holdMembers(tx)
      const member = expectMember(
        members.find((one) => one.email === email),
        { tenant, email },
      )
      const keys = await removeFromClient({ tx, person }, member, members)
      await blockProvisioned(tx, member)
      return keys
    }),
  )
}

function expectMember(found: MemberRow | undefined, { tenant, email }: OneUser): MemberRow {
  if (!found)
    throw new OperatorError(
      `${email} is not a member of ${tenant}. List the members with caretaker user list --tenant ${tenant}.`,
    )
  return found
}

/** Erases a person who belongs to no client any more (Article 17 of the GDPR). */
export async function eraseUser(operator: Operator, email: string): Promise<Erasure> {
  const result = await erasePerson(operator, email)
  if (result.belongsTo.length)
    throw new OperatorError(
      `${email} still belongs to ${result.belongsTo.join(', ')}: first caretaker user remove, for each of these clients. Nothing was erased.`,
    )
  return result
}
