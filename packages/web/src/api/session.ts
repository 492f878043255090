import { useSyncExternalStore } from 'react'
import type { User } from 'oidc-client-ts'
import { ErrorResponse, UserManager, WebStorageStateStore } from 'oidc-client-ts'
import type { z } from 'zod'
import type { ClientSettings } from '@caretaker/contract/session.ts'
import { getClientSettings } from '@caretaker/contract/calls/session.ts'
import { callbackPath, landingFor, safeTarget } from '@caretaker/rules/links/places.ts'
import { statusText } from '@caretaker/contract/error-texts.ts'
import { call, provideTokens } from './call.ts'
import { stopViewing } from './viewing.ts'
import { redirectToSignIn, signInParameters } from './sign-in-start.ts'
import { queryClient } from './query-client.ts'
import { settingsQuery } from './settings.ts'

/** The sign-in state of this tab. */
export type SignIn =
  | { state: 'loading' }
  /** The server did not return the sign-in settings. */
  | { state: 'unreachable' }
  /** `landing` and `target` are set when the provider has just redirected the user back. */
  | { state: 'signed out'; notice?: Notice; target?: string | undefined }
  | { state: 'signed in'; subject: string; landing?: string; target?: string | undefined }

/** Why the user is not signed in; `reason` comes from the provider. */
export type Notice = { kind: 'ended' } | { kind: 'failed' | 'refused'; reason?: string | undefined }

let current: SignIn = { state: 'loading' }
const listeners = new Set<() => void>()

function become(next: SignIn): void {
  current = next
  for (const listener of listeners) listener()
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

export function useSignIn(): SignIn {
  return useSyncExternalStore(subscribe, () => current)
}

let manager: UserManager | undefined
let settings: z.infer<typeof ClientSettings> | undefined

function managerFor({ oidc }: z.infer<typeof ClientSettings>): UserManager {
  const parameters = signInParameters(oidc)
  return new UserManager({
    ...parameters,
    popup_redirect_uri: parameters.redirect_uri,
    post_logout_redirect_uri: `${location.origin}/`,
    userStore: new WebStorageStateStore({ store: localStorage }),
    // Tokens are renewed by `tokenInstead` under a lock shared by all tabs, not by a timer per tab.
    automaticSilentRenew: false,
    monitorSession: false,
    loadUserInfo: false,
  })
}

/** Determines who is signed in; completes a sign-in if the provider has just redirected back. */
export async function startSession(): Promise<void> {
  become({ state: 'loading' })
  provideTokens({
    current: currentToken,
    instead: tokenInstead,
    confirm: confirmSignIn,
    refused: (reason) => void endSession(reason),
  })
  try {
    settings = await call(getClientSettings, {})
    queryClient.setQueryData(settingsQuery.queryKey, settings)
    manager = managerFor(settings)
  } catch {
    become({ state: 'unreachable' })
    return
  }
  addEventListener('storage', followOtherTabs)
  if (location.pathname === callbackPath) await finishSignIn(manager)
  else become(stateOf(await manager.getUser()))
}

function stateOf(user: User | null): SignIn {
  return user ? { state: 'signed in', subject: user.profile.sub } : { state: 'signed out' }
}

async function finishSignIn(manager: UserManager): Promise<void> {
  try {
    const user = await manager.signinCallback()
    // Another window opened this one for the sign-in: this one closes by itself.
    if (!user) return
    const target = targetIn(user.state)
    signedInAt = Date.now()
    become({ state: 'signed in', subject: user.profile.sub, landing: landingFor(target), target })
  } catch (error) {
    // A reloaded callback: its code is spent, but the session is still valid.
    const user = await manager.getUser()
    const target = error instanceof ErrorResponse ? targetIn(error.state) : undefined
    become(user ? stateOf(user) : { state: 'signed out', notice: { kind: 'failed', reason: reasonOf(error) }, target })
  }
}

/** The provider's message, if the response came from the provider. */
function reasonOf(error: unknown): string | undefined {
  const message = error instanceof ErrorResponse ? (error.error_description ?? error.error) : undefined
  return message?.replaceAll('_', ' ').slice(0, 300)
}

function targetIn(state: unknown): string | undefined {
  return typeof state === 'object' && state !== null && 'target' in state ? safeTarget(state.target) : undefined
}

/** Follows other tabs: sign-out, sign-in, or sign-in as another user. */
function followOtherTabs(event: StorageEvent): void {
  if (!manager || (event.key !== null && event.key !== userKey(manager))) return
  void manager.getUser().then((user) => {
    const next = stateOf(user)
    const known = current.state === 'signed in' ? current.subject : undefined
    const now = next.state === 'signed in' ? next.subject : undefined
    if (known !== now) become(next)
  })
}

function userKey({ settings }: UserManager): string {
  return `oidc.user:${settings.authority}:${settings.client_id}`
}

/** Redirects to the sign-in page of the provider, which returns to the current address. */
export async function signIn(): Promise<void> {
  try {
    if (settings) await redirectToSignIn(settings.oidc)
  } catch {
    become({ state: 'signed out', notice: { kind: 'failed' } })
  }
}

/** Calls that wait until the person has signed in again; undefined while none is waiting. */
let waiting: ((isConfirmed: boolean) => void)[] | undefined

/** Whether a call is waiting for the person to sign in again. */
export function useAsksToConfirm(): boolean {
  return useSyncExternalStore(subscribe, () => waiting !== undefined)
}

/** Waits until the person has signed in again or declined. Simultaneous calls wait for the same sign-in. */
function confirmSignIn(): Promise<boolean> {
  return new Promise((answer) => {
    waiting = [...(waiting ?? []), answer]
    for (const listener of listeners) listener()
  })
}

/** Releases the calls that are waiting for a new sign-in. */
export function answerConfirmation(isConfirmed: boolean): void {
  const answers = waiting ?? []
  waiting = undefined
  for (const answer of answers) answer(isConfirmed)
  for (const listener of listeners) listener()
}

/** Signs the same person in again, in a window of its own. Throws the reason if they did not. */
export async function signInAgain(): Promise<void> {
  const before = await manager?.getUser()
  const user = await manager?.signinPopup({
    prompt: 'login',
    ...(before?.profile.email && { login_hint: before.profile.email }),
    popupWindowFeatures: { width: 480, height: 720 },
  })
  if (user && user.profile.sub === before?.profile.sub) return
  if (user) become(stateOf(user))
  throw new Error('Another person has signed in.')
}

/** Signs out here, in other tabs and at the provider, which redirects to the origin. */
export async function signOut(): Promise<void> {
  await stopViewing()
  // Drafts with personal data, and list addresses that contain search terms.
  sessionStorage.clear()
  become({ state: 'loading' })
  try {
    await manager?.signoutRedirect()
  } catch {
    // The provider has no sign-out or is unreachable: the tokens are removed from this browser anyway.
    await manager?.removeUser()
    location.assign('/')
  }
}

/** Milliseconds after a sign-in during which a rejection counts as a failed sign-in, not as the end of a session. */
const signInTime = 30_000
let signedInAt = -Infinity

/** Ends the session; `reason` is the message of the server that rejected the token. */
async function endSession(reason?: string): Promise<void> {
  await manager?.removeUser()
  const isNamed = reason !== undefined && reason !== statusText(401)
  const isRefused = isNamed || (reason !== undefined && Date.now() - signedInAt < signInTime)
  const known = current.state === 'signed out' && current.notice?.kind === 'ended'
  if (current.state === 'signed in' || (known && isNamed))
    become({
      state: 'signed out',
      notice: isRefused ? { kind: 'refused', ...(isNamed && { reason }) } : { kind: 'ended' },
    })
}

/** Seconds before expiry from which a token is no longer used, so that it does not expire in transit. */
const margin = 30

function isFresh(user: User): boolean {
  return user.expires_in === undefined || user.expires_in > margin
}

async function currentToken(subject?: string): Promise<string | undefined> {
  const user = await manager?.getUser()
  if (!user || !isOf(user, subject)) return undefined
  return isFresh(user) ? user.access_token : tokenInstead(user.access_token, subject)
}

const isOf = (user: User, subject: string | undefined) => subject === undefined || user.profile.sub === subject

let renewal: Promise<string | undefined> | undefined

/**
 * Replaces an expired token. A refresh token can be used only once, so tabs take turns, and the second finds the token
 * stored by the first.
 */
async function tokenInstead(usedUp: string, subject?: string): Promise<string | undefined> {
  renewal ??= navigator.locks
    .request('caretaker.renewal', () => renewedToken(usedUp))
    .finally(() => {
      renewal = undefined
    })
  const token = await renewal
  if (subject === undefined) return token
  // Another user may have signed in in another tab.
  const user = await manager?.getUser()
  return user?.access_token === token && user?.profile.sub === subject ? token : undefined
}

async function renewedToken(usedUp: string): Promise<string | undefined> {
  const user = await latestUser(usedUp)
  if (user && user.access_token !== usedUp && isFresh(user)) return user.access_token
  try {
    if (user?.refresh_token) {
      const renewed = await manager?.signinSilent()
      await markSpent(usedUp)
      return renewed?.access_token
    }
  } catch (error) {
    if (!isFinal(error)) throw error
  }
  await endSession()
  return undefined
}

/**
 * Milliseconds after which stored data has reached the other tabs; storage is asynchronous and can arrive after the
 * lock.
 */
const storedEverywhere = 5000

/** Signals to other tabs that a token was replaced. It uses a named lock, because locks are visible at once. */
function markSpent(token: string): Promise<void> {
  return new Promise((known) => {
    void navigator.locks.request(spentLock(token), { mode: 'shared' }, () => {
      known()
      return new Promise((over) => setTimeout(over, storedEverywhere))
    })
  })
}

const spentLock = (token: string) => `caretaker.spent.${token}`

/** The signed-in user; if another tab has replaced the token, waits for the stored one. */
async function latestUser(usedUp: string): Promise<User | null | undefined> {
  const { held = [] } = await navigator.locks.query()
  const arrives = held.some(({ name }) => name === spentLock(usedUp)) ? Date.now() + storedEverywhere : 0
  for (;;) {
    const user = await manager?.getUser()
    if (user?.access_token !== usedUp || Date.now() >= arrives) return user
    await new Promise((next) => setTimeout(next, 20))
  }
}

/** Whether the provider rejected the request, as opposed to being unreachable; only a rejection ends the session. */
function isFinal(error: unknown): boolean {
  return error instanceof ErrorResponse && !['server_error', 'temporarily_unavailable'].includes(error.error ?? '')
}
