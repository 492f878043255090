import type pg from 'pg'
import type { Obligation } from '@caretaker/rules/identity/sign-in-policy.ts'
import { callerOf } from '../http/caller.ts'

/** Seconds for which an access token works. The last use of a session is known to that: each new token counts as one. */
export const tokenSeconds = 600

/** A browser in which a person is signed in. */
export interface BrowserSession {
  id: string
  userAgent: string
  network: string
  signedInAt: Date
  lastUsedAt: Date
}

interface SignedIn {
  grantId: string
  account: string
  userAgent: string
  address: string
  /** Seconds since the epoch. */
  authenticatedAt: number
}

/** The network of an address, which names a place coarsely and no single device. */
export function networkOf(address: string): string {
  const caller = callerOf(address)
  return /^\d+\.\d+\.\d+\.\d+$/.test(caller) ? caller.replace(/\.\d+$/, '.0/24') : caller
}

const limitsOf = ({ idleMinutes, sessionHours }: Obligation) => [idleMinutes * 60 + tokenSeconds, sessionHours * 3600]

/** Notes that a person has signed in, or has signed in again in the same session. */
export async function noteSignIn(idp: pg.Pool, signedIn: SignedIn, obligation: Obligation): Promise<void> {
  const { grantId, account, userAgent, address, authenticatedAt } = signedIn
  await idp.query(
    `insert into idp.browser_session
       (grant_id, account_id, user_agent, network, signed_in_at, authenticated_at, idle_ends_at, ends_at)
     select $1, $2, $3, $4, at, at, now() + make_interval(secs => $6), at + make_interval(secs => $7)
     from to_timestamp($5) as at
     on conflict (grant_id) do update set
       authenticated_at = greatest(browser_session.authenticated_at, excluded.authenticated_at),
       ends_at = greatest(browser_session.ends_at, excluded.ends_at),
       idle_ends_at = excluded.idle_ends_at, last_used_at = now()`,
    [grantId, account, userAgent.slice(0, 300), networkOf(address), authenticatedAt, ...limitsOf(obligation)],
  )
}

/** Notes that a session is in use, with the time limits as of now. A session from before the table existed gets its row. */
export async function noteUse(idp: pg.Pool, signedIn: SignedIn, obligation: Obligation): Promise<void> {
  const { grantId, account, userAgent, address, authenticatedAt } = signedIn
  await idp.query(
    `insert into idp.browser_session
       (grant_id, account_id, user_agent, network, signed_in_at, authenticated_at, idle_ends_at, ends_at)
     select $1, $2, $3, $4, at, at, now() + make_interval(secs => $6), at + make_interval(secs => $7)
     from to_timestamp($5) as at
     on conflict (grant_id) do update set last_used_at = now(), idle_ends_at = excluded.idle_ends_at,
       ends_at = browser_session.authenticated_at + make_interval(secs => $7)`,
    [grantId, account, userAgent.slice(0, 300), networkOf(address), authenticatedAt, ...limitsOf(obligation)],
  )
}

/** The open sessions of an account, the latest used first. */
export async function sessionsOf(idp: pg.Pool, account: string): Promise<BrowserSession[]> {
  const { rows } = await idp.query<BrowserSession>(
    `select grant_id as id, user_agent as "userAgent", network, signed_in_at as "signedInAt", last_used_at as "lastUsedAt"
     from idp.browser_session join idp.open_session on open_session.id = grant_id
     where account_id = $1 order by last_used_at desc, grant_id`,
    [account],
  )
  return rows
}

/** Ends these sessions of an account; returns how many were open. Their tokens stop working at once. */
export async function endSessionsOf(idp: pg.Pool, account: string, grantIds: readonly string[]): Promise<number> {
  return grantIds.length ? deleteSessions(idp, 'account_id = $1 and grant_id = any($2)', [account, grantIds]) : 0
}

/** Deletes sessions that are over; returns how many. */
export async function forgetSessions(idp: pg.Pool): Promise<number> {
  return deleteSessions(idp, 'not exists (select from idp.open_session where id = grant_id)')
}

/**
 * Deletes sessions with all that belongs to them, in one statement: a grant that stayed without its row would be open again, and its
 * refresh token would work.
 */
async function deleteSessions(idp: pg.Pool, condition: string, values: unknown[] = []): Promise<number> {
  const { rowCount } = await idp.query(
    `with ended as (
       delete from idp.browser_session where ${condition} returning grant_id, account_id),
     browsers as (
       delete from idp.payload using ended where model = 'Session' and payload->>'accountId' = ended.account_id::text
         and jsonb_path_exists(payload, '$.authorizations.*.grantId ? (@ == $ended)', jsonb_build_object('ended', ended.grant_id))),
     tokens as (
       delete from idp.payload using ended
       where payload.grant_id = ended.grant_id or (model = 'Grant' and payload.id = ended.grant_id))
     select from ended`,
    values,
  )
  return rowCount ?? 0
}
