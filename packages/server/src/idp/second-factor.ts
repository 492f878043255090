import type { Context } from '../context.ts'
import { recordSignIn } from '../identity/access-record.ts'
import { factorsChanged, triedCodes } from '../mail/account-emails.ts'
import type { Counted } from '../postgres/throttle.ts'
import { count, resetCount, uncount, within } from '../postgres/throttle.ts'
import { sendToAccount } from './account-mail.ts'
import type { Account } from './accounts.ts'
import { acceptAppCode, acceptRecoveryCode, noteChange } from './factors.ts'

type Needs = Pick<Context, 'config' | 'db' | 'idp' | 'log'>

/** Wrong codes of one caller for one account, in 15 minutes. */
const ofPair = { most: 10, seconds: 15 * 60 }
/** Wrong codes for one account from all callers, in an hour: a day of guessing succeeds with a chance of 0.2 %. */
const ofAccount = { most: 30, seconds: 3600 }
/** Number of wrong codes, from any caller, after which the owner gets an e-mail, at most once a day. */
const notifiedFrom = 5
const letters = { most: 1, seconds: 86_400 }

export type CheckedCode =
  | { accepted: 'authenticator app' | 'recovery code' }
  | { refused: 'wrong' }
  | { refused: 'too many'; seconds: number }

/** Checks a code of the authenticator app or a recovery code. Like passwords, each guess is counted before it is checked. */
export async function checkCode(
  context: Needs,
  account: Account,
  { code, caller }: { code: string; caller: string },
): Promise<CheckedCode> {
  const { db, idp } = context
  const pair: Counted = ['second factor', account.id, caller]
  const shared: Counted = ['second factor', account.id]
  const guesses = await count(db, pair, ofPair.seconds)
  const lockOut = async (isFirst: boolean, reason: string, { seconds }: { seconds: number }) => {
    if (isFirst) await recordSignIn(context, { action: 'sign-in locked out', account, caller, reason })
    return { refused: 'too many', seconds } as const
  }
  if (guesses > ofPair.most) return lockOut(guesses === ofPair.most + 1, 'wrong codes', ofPair)
  const ofAll = await count(db, shared, ofAccount.seconds)
  if (ofAll > ofAccount.most) return lockOut(ofAll === ofAccount.most + 1, 'wrong codes of many callers', ofAccount)
  const digits = code.replaceAll(/\s/g, '')
  const isOfApp = /^\d{6}$/.test(digits)
  if (await (isOfApp ? acceptAppCode(idp, account.id, digits) : acceptRecoveryCode(idp, account.id, code))) {
    await resetCount(db, pair)
    await uncount(db, [shared])
    return { accepted: isOfApp ? 'authenticator app' : 'recovery code' }
  }
  await recordSignIn(context, { action: 'sign-in failed', account, caller, reason: 'wrong second factor' })
  if (ofAll >= notifiedFrom && (await within(db, ['e-mails about wrong codes', account.id], letters)))
    await sendSafely(context, account, triedCodes(account, { times: notifiedFrom, address: passwordAddress(context) }))
  return { refused: 'wrong' }
}

/** Records a change to an account's second factors and notifies its owner, who may not have made it. */
export async function recordFactorChange(
  context: Needs,
  account: Account,
  { change, caller }: { change: string; caller: string },
): Promise<void> {
  await noteChange(context.idp, account.id)
  await recordSignIn(context, { action: 'second factor changed', account, caller, reason: change })
  await sendSafely(context, account, factorsChanged(account, { change, address: passwordAddress(context) }))
}

const passwordAddress = ({ config }: Pick<Context, 'config'>) => `${config.origin}/account/password`

/** The change or refusal stays in force even if the e-mail about it cannot be queued. */
async function sendSafely(context: Needs, account: Account, mail: Parameters<typeof sendToAccount>[2]): Promise<void> {
  try {
    await sendToAccount(context, account, mail)
  } catch (error) {
    context.log.error({ err: error }, 'an e-mail about second factors was not queued')
  }
}
