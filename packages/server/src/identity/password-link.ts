import { createHash, randomBytes } from 'node:crypto'
import type { Config } from '../config.ts'
import type { Accounts } from './accounts-in-transaction.ts'

export const linkModel = 'PasswordLink'
/** Days for which a link to a new password works. */
export const linkDays = 3
export const digestOf = (token: string) => createHash('sha256').update(token).digest('base64url')

/** A one-time token with which the owner of the mailbox sets a password; only its digest is stored. */
export async function passwordToken(accounts: Accounts, accountId: string): Promise<string> {
  const token = randomBytes(24).toString('base64url')
  await accounts.query(
    `insert into idp.payload (model, id, payload, expires_at) values ($1, $2, $3, now() + make_interval(days => $4))`,
    [linkModel, digestOf(token), { accountId }, linkDays],
  )
  return token
}

/**
 * What stands in the stored text of a mail in place of its link: whoever reads the database or a backup cannot use it. It leads to where
 * anyone asks for a link, should it ever be sent as it is.
 */
export const linkPlace = (origin: string) => `${origin}/account/password?link=mail`
const place = /https?:\/\/[^\s"<>]+\/account\/password\?link=mail/g

/** The texts of a mail with a new link for the account in place of `linkPlace`; each sending makes a link of its own, and all work. */
export async function withLink<T extends { text: string | null; html: string | null; link_account: string | null }>(
  { origin }: Pick<Config, 'origin'>,
  accounts: Accounts,
  mail: T,
): Promise<T> {
  if (mail.link_account === null) return mail
  const { rowCount } = await accounts.query('select from idp.account where id = $1', [mail.link_account])
  // An account of another installation, from which the client has moved here.
  if (!rowCount) return mail
  const address = `${origin}/account/password/${await passwordToken(accounts, mail.link_account)}`
  const filled = (text: string | null) => text && text.replaceAll(place, address)
  return { ...mail, text: filled(mail.text), html: filled(mail.html) }
}
