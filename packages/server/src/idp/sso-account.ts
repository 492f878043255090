import { groupsIn, hasSecondFactor } from '@caretaker/rules/identity/single-sign-on.ts'
import type { Context } from '../context.ts'
import { profileIn } from '../identity/profile.ts'
import { isStaffAccount } from '../identity/sign-in-policy.ts'
import type { Account } from './accounts.ts'
import { ensureAccount, findAccount, findCredentials } from './accounts.ts'
import type { Connection } from './sso-connections.ts'
import type { DomainOwner } from './sso-lookup.ts'
import { accountOfSubject, linkSubject, ownerOfAddress } from './sso-lookup.ts'

type Needs = Pick<Context, 'config' | 'db' | 'idp' | 'log'>

/** The members of a client who come from its directory. */
export interface DirectoryMembers {
  /** Creates or changes a person's membership by their groups, as the client's table of groups gives it. */
  follow(context: Pick<Context, 'config' | 'db' | 'log'>, signedIn: DirectoryPerson): Promise<void>
}

export interface DirectoryPerson {
  tenant: string
  connectionId: string
  createsMembers: boolean
  account: Pick<Account, 'email' | 'name'>
  groups: readonly string[]
}

export type Refused = keyof typeof refusals

/** Shown to a person whom the provider has signed in, and who cannot enter. */
export const refusals = {
  'no e-mail': 'The provider did not send your e-mail address. Ask its administrator to add the claim email.',
  'unverified e-mail': 'The provider does not confirm your e-mail address. Ask its administrator.',
  'other domain': 'Your e-mail address does not belong to a domain of this connection. Ask your manager in Caretaker.',
  'staff account': 'This account belongs to the staff of the operator. Sign in with your password.',
} as const

/** The account of a person whom a client's provider has signed in: the one linked before, that with the e-mail, or a new one. */
export async function accountOf(
  context: Needs,
  connection: Connection,
  claims: Record<string, unknown>,
): Promise<{ account: Account } | { refused: Refused }> {
  const { idp } = context
  const profile = profileIn(claims, true)
  if (!profile) return { refused: 'no e-mail' }
  if (!profile.emailVerified) return { refused: 'unverified e-mail' }
  const isOwn = async (email: string) => (await ownerOfAddress(idp, email))?.connectionId === connection.id
  if (!(await isOwn(profile.email))) return { refused: 'other domain' }
  const subject = String(claims['sub'])
  const linked = await accountOfSubject(idp, connection.id, subject)
  const id = linked ?? (await ensureAccount(idp, profile.email, profile.name))
  const account = (await findAccount(idp, id))!
  if (!(await isOwn(account.email))) return { refused: 'other domain' }
  if (await isStaffAccount(context, account)) return { refused: 'staff account' }
  const { tenant, id: connectionId, issuer } = connection
  if (!linked) await linkSubject(idp, { tenant, connectionId, issuer, subject, account: id })
  return { account }
}

/** The groups of a person; undefined if the provider does not send them, which changes nothing. */
export const groupsOf = (
  { groupClaim }: Pick<Connection, 'groupClaim'>,
  claims: Record<string, unknown>,
): string[] | undefined => (claims[groupClaim] === undefined ? undefined : groupsIn(claims[groupClaim]))

/** Whether the provider has checked a second factor. */
export const checkedFactor = (
  { checksSecondFactor }: Pick<Connection, 'checksSecondFactor'>,
  claims: Record<string, unknown>,
): boolean => checksSecondFactor || hasSecondFactor(claims['amr'])

/** The connection that an address has to sign in with; undefined if it can use a password, as the operator's staff always can. */
export async function requiredConnection(
  context: Pick<Context, 'config' | 'db' | 'idp'>,
  email: string,
): Promise<DomainOwner | undefined> {
  const owner = await ownerOfAddress(context.idp, email)
  if (!owner?.isRequired) return undefined
  const account = await findCredentials(context.idp, email)
  return account && (await isStaffAccount(context, account)) ? undefined : owner
}
