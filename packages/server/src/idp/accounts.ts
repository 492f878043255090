import { randomUUID } from 'node:crypto'
import type { Accounts } from '../identity/accounts-in-transaction.ts'
import { digestOf, linkModel } from '../identity/password-link.ts'
import { forgetBrowsers } from './factors.ts'
import { weaknessOf } from './password-strength.ts'
import type { Turn } from './password.ts'
import { hashPassword } from './password.ts'

export interface Account {
  id: string
  email: string
  name: string
  pictureUrl: string | null
  emailVerified: boolean
  /** False for an invited person who has not chosen a password yet. */
  hasPassword: boolean
}

const columns = `id, email, name, picture_url as "pictureUrl", email_verified as "emailVerified",
  password_hash is not null as "hasPassword"`

export async function findAccount(accounts: Accounts, id: string): Promise<Account | undefined> {
  const { rows } = await accounts.query<Account>(`select ${columns} from idp.account where id = $1`, [id])
  return rows[0]
}

/** The account of an e-mail address with its password hash; undefined if there is none. */
export async function findCredentials(
  accounts: Accounts,
  email: string,
): Promise<(Account & { hash: string | null }) | undefined> {
  const { rows } = await accounts.query<Account & { hash: string | null }>(
    `select ${columns}, password_hash as hash from idp.account where email = $1`,
    [email.toLowerCase()],
  )
  return rows[0]
}

/** Finds the account, or creates one without a password; the person sets it through a link. */
export async function ensureAccount(accounts: Accounts, email: string, name: string): Promise<string> {
  const { rows } = await accounts.query<{ id: string }>(
    `insert into idp.account (id, email, name) values ($1, $2, $3)
     on conflict (email) do update set email = excluded.email returning id`,
    [randomUUID(), email.toLowerCase(), name],
  )
  return rows[0]!.id
}

/** The account that a token belongs to, by one indexed read; undefined if the token is used, expired or unknown. */
export async function accountOfToken(accounts: Accounts, token: string): Promise<Account | undefined> {
  const { rows } = await accounts.query<Account>(
    `select ${columns} from idp.account where id = (
       select (payload->>'accountId')::uuid from idp.payload where model = $1 and id = $2 and expires_at > now())`,
    [linkModel, digestOf(token)],
  )
  return rows[0]
}

/** A password that is too easy to guess; the message gives the reason and what to do. */
export class WeakPassword extends Error {}

/**
 * Sets the password of the token's account and ends its sessions. Returns undefined if the token is used or expired, which is
 * checked before the expensive hash. Throws WeakPassword.
 */
export async function setPassword(
  accounts: Accounts,
  token: string,
  password: string,
  turn?: Turn,
): Promise<{ id: string; hash: string } | undefined> {
  const owner = await accountOfToken(accounts, token)
  if (!owner) return undefined
  const weakness = await weaknessOf(password, owner)
  if (weakness !== undefined) throw new WeakPassword(weakness)
  const hash = await hashPassword(password, turn)
  const { rows } = await accounts.query<{ id: string }>(
    `with used as (
       delete from idp.payload where model = $1 and id = $2 and expires_at > now() returning payload->>'accountId' as id)
     update idp.account set password_hash = $3, email_verified = true from used where account.id = used.id::uuid
     returning account.id`,
    [linkModel, digestOf(token), hash],
  )
  const [account] = rows
  if (!account) return undefined
  await endSessions(accounts, account.id)
  return { id: account.id, hash }
}

/** Ends the sessions of an account and invalidates its password links. */
export async function endSessions(accounts: Accounts, account: string): Promise<void> {
  await accounts.query(`delete from idp.payload where payload->>'accountId' = $1 and model = $2`, [account, linkModel])
  await endAllSessions(accounts, account)
}

/**
 * Signs an account out of all browsers, including unfinished sign-ins that have passed a step, and forgets the browsers
 * that need no second factor.
 */
export async function endAllSessions(accounts: Accounts, account: string): Promise<void> {
  await accounts.query(
    `delete from idp.payload where payload->>'accountId' = $1
       and model in ('Session', 'Grant', 'RefreshToken', 'AuthorizationCode')`,
    [account],
  )
  await accounts.query(
    `delete from idp.payload where model = 'Interaction'
       and $1 in (payload->'result'->'login'->>'accountId', payload->'result'->'step'->>'accountId')`,
    [account],
  )
  await accounts.query('delete from idp.browser_session where account_id = $1', [account])
  await forgetBrowsers(accounts, account)
}

/** Uses up a token without a new password; undefined if it is used or expired, or if the account has no password yet. */
export async function keepPassword(
  accounts: Accounts,
  token: string,
): Promise<{ id: string; hash: string } | undefined> {
  const { rows } = await accounts.query<{ id: string; hash: string }>(
    `with used as (
       delete from idp.payload where model = $1 and id = $2 and expires_at > now()
         and exists (select from idp.account
           where account.id = (payload->>'accountId')::uuid and password_hash is not null)
       returning payload->>'accountId' as id)
     select account.id, password_hash as hash from idp.account join used on account.id = used.id::uuid`,
    [linkModel, digestOf(token)],
  )
  return rows[0]
}
