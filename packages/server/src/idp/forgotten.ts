import type { Context } from '../context.ts'
import { linkPlace } from '../identity/password-link.ts'
import { passwordForgotten } from '../mail/account-emails.ts'
import type { Db } from '../postgres/pool.ts'
import { within } from '../postgres/throttle.ts'
import { findCredentials } from './accounts.ts'
import { sendToAccount } from './account-mail.ts'

/** Links to a new password that a person is sent, whoever asks for them. */
const forPerson = { most: 3, seconds: 3600 }
export const forCaller = { most: 20, seconds: 3600 }

/** Whether a person may be sent one more link to a new password; it counts as sent. */
export const mayWrite = (db: Db, accountId: string): Promise<boolean> =>
  within(db, ['password link', accountId], forPerson)

/** Whether a caller may ask for one more link, for whomever. */
export const mayAsk = (db: Db, caller: string): Promise<boolean> => within(db, ['asks for links', caller], forCaller)

/** Mails the link with which the owner of an account chooses a new password, if there is such an account. */
export async function writeLink(context: Pick<Context, 'config' | 'db' | 'idp'>, email: string): Promise<void> {
  const { config, db, idp } = context
  const account = await findCredentials(idp, email)
  if (!account || !(await mayWrite(db, account.id))) return
  await sendToAccount(context, account, {
    ...passwordForgotten(account, linkPlace(config.origin)),
    linkAccount: account.id,
  })
}
