import type { Context } from '../context.ts'
import { linkPlace } from '../identity/password-link.ts'
import { passwordForgotten } from '../mail/account-emails.ts'
import type { Db } from '../postgres/pool.ts'
import { within } from '../postgres/throttle.ts'
import { findCredentials } from './accounts.ts'
import { sendToAccount } from './account-mail.ts'
import { requiredConnection } from './sso-account.ts'

/** Maximum password links sent to one person, for all callers together. */
const forPerson = { most: 3, seconds: 3600 }
export const forCaller = { most: 20, seconds: 3600 }

/** Whether the person may be sent another password link. Counts it as sent. */
export const mayWrite = (db: Db, accountId: string): Promise<boolean> =>
  within(db, ['password link', accountId], forPerson)

/** Whether the caller may request another link, for any account. Counts the request. */
export const mayAsk = (db: Db, caller: string): Promise<boolean> => within(db, ['asks for links', caller], forCaller)

/** E-mails the link to choose a password, if the account exists and can use one. */
export async function writeLink(context: Pick<Context, 'config' | 'db' | 'idp'>, email: string): Promise<void> {
  const { config, db, idp } = context
  const account = await findCredentials(idp, email)
  if (!account || (await requiredConnection(context, email)) || !(await mayWrite(db, account.id))) return
  await sendToAccount(context, account, {
    ...passwordForgotten(account, linkPlace(config.origin)),
    linkAccount: account.id,
  })
}
