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

/** Seconds during which failed sign-ins count. */
export const stretch = 15 * 60
/** Wrong passwords of one caller, or of one known device, for one account before a lock-out. */
const mostOfPair = 10
/** Wrong passwords of one caller for all accounts. */
const mostOfCaller = 100
/**
 * Wrong passwords for one account from all callers: above the first number responses slow down, above the second all are
 * refused.
 */
const slowFrom = 10
const mostOfAccount = 100
/** Longest delay of a response, in seconds. */
const slowest = 20
/** A person gets at most one such e-mail a day. */
const letters = { most: 1, seconds: 86_400 }

const ofCaller = (caller: string): Counted => ['caller', caller]

export interface Attempt {
  email: string
  password: string
  /** The caller's address; see `callerOf`. */
  caller: string
  /** Whether this browser has signed in to the account before. */
  knows(account: Account & { hash: string }): boolean
}

export type SignIn = { account: Account; hash: string } | { refused: 'wrong' | 'too many' | 'busy' }

type Needs = Pick<Context, 'config' | 'db' | 'idp' | 'log'>

/**
 * Checks e-mail and password. Each guess is counted before it is checked, so that simultaneous guesses gain nothing. A lock-out
 * hits the attacker: it applies to a caller and an account, while the owner can sign in from a known device, or with a delay
 * from elsewhere. Neither the result nor the response time reveals whether the account exists.
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
  // Not awaited: the response time would reveal whether the account exists.
  const record = (action: 'sign-in failed' | 'sign-in locked out', reason: string) =>
    void recordSignIn(context, { action, account: found, caller, reason })
  const lockOut = (reason: string) => {
    record('sign-in locked out', reason)
    return { refused: 'too many' } as const
  }
  // The caller is counted first: trying ever more accounts must not leave a row for each.
  const ofThisCaller = known ? 0 : await count(db, ofCaller(caller), stretch)
  if (ofThisCaller === mostOfCaller + 1) return lockOut('wrong passwords of this caller for many accounts')
  if (ofThisCaller > mostOfCaller) return { refused: 'too many' }
  const guesses = await count(db, own, stretch)
  if (guesses > mostOfPair) {
    // An unchecked guess must not lock out others with the same address.
    if (!known) await uncount(db, [ofCaller(caller)])
    return guesses === mostOfPair + 1 ? lockOut('wrong passwords of this caller') : { refused: 'too many' }
  }
  const ofAccount = known ? 0 : await count(db, ['account', name], stretch)
  if (ofAccount === mostOfAccount + 1) return lockOut('wrong passwords of many callers')
  if (ofAccount > mostOfAccount) return { refused: 'too many' }
  if (ofAccount > slowFrom) await wait(Math.min(slowest, ofAccount - slowFrom) * 1000)
  const fits = await verifyPassword(password, found?.hash ?? (await unmatchableHash()), {
    caller,
    isTrusted: Boolean(known),
  }).catch(async (error: unknown) => {
    if (!(error instanceof TooManyWaiting)) throw error
    // An unchecked guess does not count.
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
      context.log.error({ err: error }, 'the e-mail about wrong passwords was not queued'),
    )
  return { refused: 'wrong' }
}

async function notify(context: Pick<Context, 'config' | 'db'>, account: Account): Promise<void> {
  if (!(await within(context.db, ['e-mails about wrong passwords', account.id], letters))) return
  const address = `${context.config.origin}/account/password`
  await sendToAccount(context, account, triedPasswords(account, { times: mostOfPair, address }))
}

let cachedHash: Promise<string> | undefined
/** A hash that no password matches, as slow to verify as any other. */
function unmatchableHash(): Promise<string> {
  cachedHash ??= hashPassword(randomBytes(32).toString('base64url'))
  return cachedHash
}
