import { createHash, randomBytes, randomUUID } from 'node:crypto'
import type { Accounts } from './in-transaction.ts'
import { hashPassword } from './password.ts'

export interface Account {
  id: string
  email: string
  name: string
  pictureUrl: string | null
  emailVerified: boolean
  /** False for who is invited and has not chosen one yet. */
  hasPassword: boolean
}

const columns = `id, email, name, picture_url as "pictureUrl", email_verified as "emailVerified",
  password_hash is not null as "hasPassword"`

export async function findAccount(accounts: Accounts, id: string): Promise<Account | undefined> {
  const { rows } = await accounts.query<Account>(`select ${columns} from idp.account where id = $1`, [id])
  return rows[0]
}

/** The account of an e-mail, with what its password is checked against. */
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

/** Makes an account without a password, or finds the one there is; the person sets a password by a link. */
export async function ensureAccount(accounts: Accounts, email: string, name: string): Promise<string> {
  const { rows } = await accounts.query<{ id: string }>(
    `insert into idp.account (id, email, name) values ($1, $2, $3)
     on conflict (email) do update set email = excluded.email returning id`,
    [randomUUID(), email.toLowerCase(), name],
  )
  return rows[0]!.id
}

export const linkModel = 'PasswordLink'
const linkDays = 3
const digest = (token: string) => createHash('sha256').update(token).digest('base64url')

/** A one-time token with which the owner of the mailbox sets a password; only its digest is stored. */
export async function passwordToken(accounts: Accounts, accountId: string): Promise<string> {
  const token = randomBytes(24).toString('base64url')
  await accounts.query(
    `insert into idp.payload (model, id, payload, expires_at) values ($1, $2, $3, now() + make_interval(days => $4))`,
    [linkModel, digest(token), { accountId }, linkDays],
  )
  return token
}

export async function tokenIsGood(accounts: Accounts, token: string): Promise<boolean> {
  const { rowCount } = await accounts.query(
    'select from idp.payload where model = $1 and id = $2 and expires_at > now()',
    [linkModel, digest(token)],
  )
  return rowCount === 1
}

/** Sets the password of the token's account and ends its sessions; undefined when the token is used up or too old. */
export async function setPassword(
  accounts: Accounts,
  token: string,
  password: string,
): Promise<{ id: string; hash: string } | undefined> {
  const hash = await hashPassword(password)
  const { rows } = await accounts.query<{ id: string }>(
    `with used as (
       delete from idp.payload where model = $1 and id = $2 and expires_at > now() returning payload->>'accountId' as id)
     update idp.account set password_hash = $3, email_verified = true from used where account.id = used.id::uuid
     returning account.id`,
    [linkModel, digest(token), hash],
  )
  const [account] = rows
  if (!account) return undefined
  await endSessions(accounts, account.id)
  return { id: account.id, hash }
}

/** Ends the sessions of an account, and the links with which its password could be chosen. */
export async function endSessions(accounts: Accounts, account: string): Promise<void> {
  await accounts.query(
    `delete from idp.payload where payload->>'accountId' = $1 and model in ('Session', 'Grant', 'RefreshToken', $2)`,
    [account, linkModel],
  )
}
