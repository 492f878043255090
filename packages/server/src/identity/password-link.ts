import { createHash, randomBytes } from 'node:crypto'
import type { Config } from '../config.ts'
import type { Accounts } from './accounts-in-transaction.ts'

export const linkModel = 'PasswordLink'
/** Days for which a password link works. */
export const linkDays = 3
export const digestOf = (token: string) => createHash('sha256').update(token).digest('base64url')

/** Creates a one-time token with which the owner of the mailbox sets a password; only its digest is stored. */
export async function passwordToken(accounts: Accounts, accountId: string): Promise<string> {
  const token = randomBytes(24).toString('base64url')
  await accounts.query(
    `insert into idp.payload (model, id, payload, expires_at) values ($1, $2, $3, now() + make_interval(days => $4))`,
    [linkModel, digestOf(token), { accountId }, linkDays],
  )
  return token
}

/**
 * Placeholder for the link in the stored text of an e-mail, so that a copy of the database or a backup holds no usable link. It
 * leads to the form that requests a link, in case it is sent unreplaced.
 */
export const linkPlace = (origin: string) => `${origin}/account/password?link=mail`
const place = /https?:\/\/[^\s"<>]+\/account\/password\?link=mail/g

/**
 * The e-mail with `linkPlace` replaced by a new link for the account. Each sending creates its own link, and all of them work.
 */
export async function withLink<T extends { text: string | null; html: string | null; link_account: string | null }>(
  { origin }: Pick<Config, 'origin'>,
  accounts: Accounts,
  mail: T,
): Promise<T> {
  if (mail.link_account === null) return mail
  const { rowCount } = await accounts.query('select from idp.account where id = $1', [mail.link_account])
  // The account belongs to another installation, from which the client was moved here.
  if (!rowCount) return mail
  const address = `${origin}/account/password/${await passwordToken(accounts, mail.link_account)}`
  const filled = (text: string | null) => text && text.replaceAll(place, address)
  return { ...mail, text: filled(mail.text), html: filled(mail.html) }
}
