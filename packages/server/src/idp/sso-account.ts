import { groupsIn, hasSecondFactor } from '@caretaker/rules/identity/single-sign-on.ts'
import type { Context } from '../context.ts'
import { recordSignIn } from '../identity/access-record.ts'
import { profileIn } from '../identity/profile.ts'
import { isStaffAccount } from '../identity/sign-in-policy.ts'
import { linkedToProvider } from '../mail/account-emails.ts'
import { sendToAccount } from './account-mail.ts'
import type { Account } from './accounts.ts'
import { ensureAccount, findAccount, findCredentials } from './accounts.ts'
import type { SsoSession } from './interaction.ts'
import type { Connection } from './sso-connections.ts'
import { findConnection } from './sso-connections.ts'
import type { DomainOwner } from './sso-lookup.ts'
import { accountOfSubject, linkSubject, ownerOfAddress } from './sso-lookup.ts'

type Needs = Pick<Context, 'config' | 'db' | 'idp' | 'log'>

/** The members of a client who come from its directory. */
export interface DirectoryMembers {
  /** Creates or changes a person's membership according to their groups, as the client's table of groups maps them. */
  follow(context: Pick<Context, 'config' | 'db' | 'log'>, signedIn: DirectoryPerson): Promise<void>
}

export interface DirectoryPerson {
  tenant: string
  connectionId: string
  /** The name of the connection, for the audit. */
  connectionName: string
  createsMembers: boolean
  account: Pick<Account, 'email' | 'name'>
  groups: readonly string[]
}

export type Refused = keyof typeof refusals

/** Shown to a person whom the provider has signed in but who cannot enter. */
export const refusals = {
  'no e-mail': 'The provider did not send your e-mail address. Ask its administrator to add the claim email.',
  'unverified e-mail': 'The provider does not confirm your e-mail address. Ask its administrator.',
  'other domain': 'Your e-mail address does not belong to a domain of this connection. Ask your manager in Caretaker.',
  'staff account': 'This account belongs to the staff of the operator. Sign in with your password.',
} as const

/**
 * The account of a person whom a client's provider has signed in: the account linked before, the one with the e-mail,
 * or a new one.
 */
export async function accountOf(
  context: Needs,
  connection: Connection,
  { claims, caller }: { claims: Record<string, unknown>; caller: string },
): Promise<{ account: Account } | { refused: Refused }> {
  const { idp } = context
  // Users can choose their preferred user name at some providers, so it proves nothing.
  const profile = profileIn({ ...claims, preferred_username: undefined }, true)
  if (!profile) return { refused: 'no e-mail' }
  if (!profile.emailVerified) return { refused: 'unverified e-mail' }
  const isOwn = async (email: string) => (await ownerOfAddress(idp, email))?.connectionId === connection.id
  if (!(await isOwn(profile.email))) return { refused: 'other domain' }
  const subject = String(claims['sub'])
  const linked = await accountOfSubject(idp, connection.id, subject)
  const known = linked === undefined ? await findCredentials(idp, profile.email) : undefined
  const id = linked ?? (await ensureAccount(idp, profile.email, profile.name))
  const account = (await findAccount(idp, id))!
  if (!(await isOwn(account.email))) return { refused: 'other domain' }
  if (await isStaffAccount(context, account)) return { refused: 'staff account' }
  const { tenant, id: connectionId, issuer } = connection
  if (linked === undefined) await linkSubject(idp, { tenant, connectionId, issuer, subject, account: id })
  if (known) await recordLink(context, account, { connection, caller, isInUse: known.emailVerified })
  return { account }
}

/** Records that an account from before can be used with the provider of a client, and notifies its owner if it was used already. */
async function recordLink(
  context: Needs,
  account: Account,
  { connection, caller, isInUse }: { connection: Connection; caller: string; isInUse: boolean },
): Promise<void> {
  const { name } = connection
  await recordSignIn(context, { action: 'single sign-on linked', account, caller, reason: name })
  if (!isInUse) return
  const address = `${context.config.origin}/account/password`
  await sendToAccount(context, account, linkedToProvider(account, { name, address })).catch((error: unknown) =>
    context.log.error({ err: error }, 'an e-mail about single sign-on was not queued'),
  )
}

/** Whether a sign-in with a client's provider can still be finished: the connection and its domain may have been removed meanwhile. */
export async function isCurrent(
  { db, idp }: Pick<Context, 'db' | 'idp'>,
  { tenant, connectionId }: Pick<SsoSession, 'tenant' | 'connectionId'>,
  email: string,
): Promise<boolean> {
  const owner = await ownerOfAddress(idp, email)
  return owner?.connectionId === connectionId && (await findConnection(db, tenant, connectionId)) !== undefined
}

/**
 * The groups of a person; none if the claim is missing, because some providers leave out an empty one. Undefined if
 * there are too many groups for a token, so that the provider only names a place to read them (OpenID Connect Core,
 * section 5.6.2; Entra ID).
 */
export function groupsOf(
  { groupClaim }: Pick<Connection, 'groupClaim'>,
  claims: Record<string, unknown>,
): string[] | undefined {
  const elsewhere = claims['_claim_names']
  const isElsewhere = typeof elsewhere === 'object' && elsewhere !== null && groupClaim in elsewhere
  return claims[groupClaim] === undefined && isElsewhere ? undefined : groupsIn(claims[groupClaim])
}

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
  if (!owner?.isRequired || !(await findConnection(context.db, owner.tenant, owner.connectionId))) return undefined
  const account = await findCredentials(context.idp, email)
  return account && (await isStaffAccount(context, account)) ? undefined : owner
}
