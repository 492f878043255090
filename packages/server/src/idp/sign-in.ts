import { setTimeout as sleep } from 'node:timers/promises'
import { randomBytes } from 'node:crypto'
import type { Context } from '../context.ts'
import { recordSignIn } from '../identity/access-record.ts'
import { triedPasswords } from '../mail/account-emails.ts'
import type { Counted } from '../postgres/throttle.ts'
import { count, resetCount, uncount, within } from '../postgres/throttle.ts'
import type { Account } from './accounts.ts'
import { isPublished } from '../published-password.ts'
import { findCredentials } from './accounts.ts'
import { sendToAccount } from './account-mail.ts'
import { hashPassword, TooManyWaiting, verifyPassword } from './password.ts'

/** Seconds in which failed sign-ins count. */
export const stretch = 15 * 60
/** Wrong passwords of one caller for one account, or of a device that the account knows, before it is locked out. */
const mostOfPair = 10
/** Wrong passwords of one caller for whatever accounts. */
const mostOfCaller = 100
/** Wrong passwords for one account from everywhere: beyond the first each answer takes longer, beyond the last there is none. */
const slowFrom = 10
const mostOfAccount = 100
/** Seconds that an answer takes at most. */
const slowest = 20
/** A person hears of it once a day. */
const letters = { most: 1, seconds: 86_400 }

const ofCaller = (caller: string): Counted => ['caller', caller]

export interface Attempt {
  email: string
  password: string
  /** The address that it comes from, see `callerOf`. */
  caller: string
  /** Whether the account was signed in to from this browser before. */
  knows(account: Account & { hash: string }): boolean
}

export type SignIn = { account: Account; hash: string } | { refused: 'wrong' | 'too many' | 'busy' }

type Needs = Pick<Context, 'config' | 'db' | 'idp' | 'log'>

/**
 * Checks e-mail and password. Each guess is counted before it is checked, so that guesses at the same moment are no more than
 * others. Whom an attacker locks out is the attacker: a caller for an account, while the account's owner comes in from a device that
 * it knows, or from elsewhere, slowed down. What is wrong is not told, nor does the time it takes tell whether the account exists.
 */
export async function signIn(
  context: Needs,
  { email, password, caller, knows }: Attempt,
  wait: (ms: number) => Promise<unknown> = sleep,
): Promise<SignIn> {
  const { config, db, idp } = context
  const found = await findCredentials(idp, email)
  const name = email.toLowerCase()
  const known = found?.hash && knows({ ...found, hash: found.hash })
  const own: Counted = known ? ['known device', name] : ['pair', name, caller]
  const shared: Counted[] = known ? [] : [ofCaller(caller), ['account', name]]
  // Not waited for: the time that the answer takes would tell that there is such an account.
  const record = (action: 'sign-in failed' | 'sign-in locked out', reason: string) =>
    void recordSignIn(context, { action, account: found, caller, reason })
  const lockOut = (reason: string) => {
    record('sign-in locked out', reason)
    return { refused: 'too many' } as const
  }
  // The caller first: who guesses at ever new accounts leaves no trace of each.
  const ofThisCaller = known ? 0 : await count(db, ofCaller(caller), stretch)
  if (ofThisCaller === mostOfCaller + 1) return lockOut('wrong passwords of this caller for many accounts')
  if (ofThisCaller > mostOfCaller) return { refused: 'too many' }
  const guesses = await count(db, own, stretch)
  if (guesses > mostOfPair) {
    // What is not checked locks out nobody else who calls from there.
    if (!known) await uncount(db, [ofCaller(caller)])
    return guesses === mostOfPair + 1 ? lockOut('wrong passwords of this caller') : { refused: 'too many' }
  }
  const ofAccount = known ? 0 : await count(db, ['account', name], stretch)
  if (ofAccount === mostOfAccount + 1) return lockOut('wrong passwords of many callers')
  if (ofAccount > mostOfAccount) return { refused: 'too many' }
  if (ofAccount > slowFrom) await wait(Math.min(slowest, ofAccount - slowFrom) * 1000)
  const fits = await verifyPassword(password, found?.hash ?? (await nobody()), {
    caller,
    isTrusted: Boolean(known),
  }).catch(async (error: unknown) => {
    if (!(error instanceof TooManyWaiting)) throw error
    // What is not checked does not count.
    await uncount(db, [...shared, own])
    return 'busy' as const
  })
  if (fits === 'busy') return { refused: fits }
  const right = fits && !(config.exposedBy && isPublished(password))
  if (found?.hash && right) {
    await uncount(db, shared)
    await resetCount(db, own)
    const { hash, ...account } = found
    return { account, hash }
  }
  record('sign-in failed', found ? (found.hash ? 'wrong password' : 'no password chosen yet') : 'unknown e-mail')
  if (found && guesses === mostOfPair)
    notify(context, found).catch((error: unknown) =>
      context.log.error({ err: error }, 'the e-mail about wrong passwords was not written'),
    )
  return { refused: 'wrong' }
}

async function notify(context: Pick<Context, 'config' | 'db'>, account: Account): Promise<void> {
  if (!(await within(context.db, ['told of wrong passwords', account.id], letters))) return
  const address = `${context.config.origin}/account/password`
  await sendToAccount(context, account, triedPasswords(account, { times: mostOfPair, address }))
}

let nobodysHash: Promise<string> | undefined
/** A hash that no password fits, as slow to check as any. */
function nobody(): Promise<string> {
  nobodysHash ??= hashPassword(randomBytes(32).toString('base64url'))
  return nobodysHash
}
