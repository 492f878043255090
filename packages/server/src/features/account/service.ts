import { refuse } from '@caretaker/contract/refusal.ts'
import type { Context } from '../../context.ts'
import { recordSignIn } from '../../identity/access-record.ts'
import type { Person } from '../../identity/person.ts'
import { obligationOfAccount } from '../../identity/sign-in-policy.ts'
import type { Account } from '../../idp/accounts.ts'
import { findAccount } from '../../idp/accounts.ts'
import type { BrowserSession } from '../../idp/browser-sessions.ts'
import { endSessionsOf, sessionsOf } from '../../idp/browser-sessions.ts'
import type { Factors } from '../../idp/factors.ts'
import * as factors from '../../idp/factors.ts'
import * as passkeys from '../../idp/passkeys.ts'
import { recordFactorChange } from '../../idp/second-factor.ts'

/** A person who manages their own sign-in. */
export interface Asking {
  context: Context
  person: Person
  /** The address that the call came from; see `callerOf`. */
  caller: string
}

/** The person's account at the embedded provider; undefined where another provider signs them in. */
export async function findOwnAccount({
  context,
  person,
}: Pick<Asking, 'context' | 'person'>): Promise<Account | undefined> {
  if (!context.config.oidc.embedded || !person.session) return undefined
  const { subject } = await context.db
    .selectFrom('person')
    .select('subject')
    .where('id', '=', person.id)
    .executeTakeFirstOrThrow()
  return findAccount(context.idp, subject)
}

async function ownAccount(asking: Asking): Promise<Account> {
  const account = await findOwnAccount(asking)
  if (!account)
    throw refuse(
      'refused',
      "Sign-in is managed by your organisation's identity provider. Please contact its administrator.",
    )
  return account
}

/** The caller's own account, to which a factor is added in this session. */
async function adding(asking: Asking) {
  return { account: await ownAccount(asking), place: `session ${asking.person.session!.id}` } as const
}

export async function security(asking: Asking): Promise<{ factors: Factors; isRequired: boolean } | undefined> {
  const account = await findOwnAccount(asking)
  if (!account) return undefined
  const { needsSecondFactor } = await obligationOfAccount(asking.context, account)
  return { factors: await factors.factorsOf(asking.context.idp, account.id), isRequired: needsSecondFactor }
}

export async function beginPasskey(asking: Asking) {
  const { config, idp } = asking.context
  const added = await adding(asking)
  if ((await factors.factorsOf(idp, added.account.id)).passkeys.length >= passkeys.mostPasskeys)
    throw refuse('refused', `An account can have at most ${passkeys.mostPasskeys} passkeys. Remove one first.`)
  return passkeys.creationOptions(config, idp, added)
}

/** Adds a passkey; returns recovery codes if the person had none. */
export async function addPasskey(asking: Asking, passkey: { name: string; response: unknown }) {
  const { config, idp } = asking.context
  const added = await adding(asking)
  if (!(await passkeys.addPasskey(config, idp, added, { ...passkey, isFirst: false })))
    throw refuse('refused', 'The passkey was not added. Please try again.')
  return gained(asking, added.account, `passkey added: ${passkey.name}`)
}

export async function removePasskey(asking: Asking, id: string): Promise<void> {
  const { idp } = asking.context
  const account = await ownAccount(asking)
  const { passkeys: all, appAddedAt } = await factors.factorsOf(idp, account.id)
  const passkey = all.find((one) => one.id === id)
  if (!passkey) throw refuse('not found')
  if (all.length === 1 && appAddedAt === null) await expectOptional(asking, account)
  await passkeys.removePasskey(idp, account.id, id)
  await changed(asking, account, `passkey removed: ${passkey.name}`)
}

export async function beginApp(asking: Asking) {
  return factors.beginApp(asking.context.idp, await adding(asking))
}

export async function addApp(asking: Asking, code: string) {
  const added = await adding(asking)
  if (!(await factors.confirmApp(asking.context.idp, added, { code: code.replaceAll(/\s/g, ''), isFirst: false })))
    throw refuse('refused', 'This is not the code that the app shows now. Please try again.')
  return gained(asking, added.account, 'authenticator app added')
}

export async function removeApp(asking: Asking): Promise<void> {
  const { idp } = asking.context
  const account = await ownAccount(asking)
  const { passkeys: all, appAddedAt } = await factors.factorsOf(idp, account.id)
  if (appAddedAt === null) throw refuse('not found')
  if (!all.length) await expectOptional(asking, account)
  await factors.removeApp(idp, account.id)
  await changed(asking, account, 'authenticator app removed')
}

export async function renewCodes(asking: Asking): Promise<string[]> {
  const { idp } = asking.context
  const account = await ownAccount(asking)
  if (!factors.hasFactor(await factors.factorsOf(idp, account.id)))
    throw refuse('refused', 'Add a passkey or an authenticator app first.')
  const codes = await factors.newRecoveryCodes(idp, account.id)
  await changed(asking, account, 'new recovery codes')
  return codes
}

/** Refuses to remove the last factor if a client requires one. */
async function expectOptional({ context }: Asking, account: Account): Promise<void> {
  const { needsSecondFactor } = await obligationOfAccount(context, account)
  if (needsSecondFactor)
    throw refuse('refused', 'Your role requires a second factor. Add another one before you remove this one.')
}

async function changed({ context, caller }: Asking, account: Account, change: string): Promise<void> {
  await recordFactorChange(context, account, { change, caller })
}

/** Records a new factor; returns recovery codes, to be shown now, if the person has none left. */
async function gained(asking: Asking, account: Account, change: string): Promise<string[] | null> {
  await changed(asking, account, change)
  return (await factors.codesIfNone(asking.context.idp, account.id)) ?? null
}

export async function ownSessions(asking: Asking): Promise<BrowserSession[]> {
  return sessionsOf(asking.context.idp, (await ownAccount(asking)).id)
}

/**
 * Ends some of the caller's own sessions, and forgets the browsers exempt from the second factor; returns how many were
 * open.
 */
export async function endOwnSessions(asking: Asking, isEnded: (session: BrowserSession) => boolean): Promise<number> {
  const { context, caller } = asking
  const account = await ownAccount(asking)
  const ids = (await sessionsOf(context.idp, account.id)).filter(isEnded).map(({ id }) => id)
  const ended = await endSessionsOf(context.idp, account.id, ids)
  if (!ended) return 0
  await factors.forgetBrowsers(context.idp, account.id)
  await recordSignIn(context, { action: 'session ended', account, caller, reason: `${ended} ended` })
  return ended
}
