import type pg from 'pg'
import type { Obligation } from '@caretaker/rules/identity/sign-in-policy.ts'
import { callerOf } from '../http/caller.ts'
import type { Accounts } from '../identity/accounts-in-transaction.ts'
import type { SsoSession } from './interaction.ts'

/**
 * Lifetime of an access token in seconds. The last use of a session is known to this accuracy: each new token counts as
 * one.
 */
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
  /** The session of a client's provider that it belongs to. */
  sso?: Pick<SsoSession, 'connectionId' | 'providerSession'> | undefined
}

/** An address's network, which identifies a place roughly, but no single device. */
export function networkOf(address: string): string {
  const caller = callerOf(address)
  return /^\d+\.\d+\.\d+\.\d+$/.test(caller) ? caller.replace(/\.\d+$/, '.0/24') : caller
}

const limitsOf = ({ idleMinutes, sessionHours }: Obligation) => [idleMinutes * 60 + tokenSeconds, sessionHours * 3600]

/** Notes that a person has signed in, or has signed in again in the same session. */
export async function noteSignIn(idp: pg.Pool, signedIn: SignedIn, obligation: Obligation): Promise<void> {
  const { grantId, account, userAgent, address, authenticatedAt, sso } = signedIn
  await idp.query(
    `insert into idp.browser_session
       (grant_id, account_id, user_agent, network, signed_in_at, authenticated_at, idle_ends_at, ends_at,
        connection_id, provider_session)
     select $1, $2, $3, $4, at, at, now() + make_interval(secs => $6), at + make_interval(secs => $7), $8, $9
     from to_timestamp($5) as at
     on conflict (grant_id) do update set
       authenticated_at = greatest(browser_session.authenticated_at, excluded.authenticated_at),
       ends_at = greatest(browser_session.ends_at, excluded.ends_at),
       idle_ends_at = excluded.idle_ends_at, last_used_at = now(),
       connection_id = coalesce(excluded.connection_id, browser_session.connection_id),
       provider_session = coalesce(excluded.provider_session, browser_session.provider_session)`,
    [
      ...[grantId, account, userAgent.slice(0, 300), networkOf(address), authenticatedAt, ...limitsOf(obligation)],
      ...[sso?.connectionId ?? null, sso?.providerSession ?? null],
    ],
  )
}

/**
 * Notes that a session is in use, with the time limits as of now. A session from before the table existed gets its row.
 */
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

/** The connection whose provider has started a session. */
export async function connectionOfSession(idp: pg.Pool, grantId: string): Promise<string | undefined> {
  const { rows } = await idp.query<{ connection: string | null }>(
    'select connection_id as connection from idp.browser_session where grant_id = $1',
    [grantId],
  )
  return rows[0]?.connection ?? undefined
}

interface ProviderSessions {
  connectionId: string
  /** Only those of this account. */
  account?: string | undefined
  /** Only the browsers of this session of the provider. */
  providerSession?: string | undefined
}

/**
 * Ends sessions that a connection's provider has started, and sign-ins with it that are not finished; returns how many
 * sessions were open. If an account is given, its sessions without a provider session end too.
 */
export async function endProviderSessions(
  accounts: Accounts,
  { connectionId, account, providerSession }: ProviderSessions,
): Promise<number> {
  const values = [connectionId, account ?? null, providerSession ?? null]
  const isOf = (owner: string, session: string) => `($2::text is null or ${owner} = $2)
    and ($3::text is null or ${session} = $3 or (${session} is null and $2 is not null))`
  for (const [owner, sso] of [
    [`payload->'result'->'step'->>'accountId'`, `payload->'result'->'step'->'sso'`],
    [`payload->'result'->'login'->>'accountId'`, `payload->'result'->'sso'`],
  ] as const)
    await accounts.query(
      `delete from idp.payload where model = 'Interaction' and ${sso}->>'connectionId' = $1::text
         and ${isOf(owner, `${sso}->>'providerSession'`)}`,
      values,
    )
  return deleteSessions(accounts, `connection_id = $1 and ${isOf('account_id::text', 'provider_session')}`, values)
}

/** Ends all sessions that the connections of a client have started. */
export async function endSessionsOfClient(accounts: Accounts, tenant: string): Promise<void> {
  const { rows } = await accounts.query<{ id: string }>(
    `select connection_id as id from idp.sso_lookup where tenant_id = $1
     union select connection_id from idp.federated_identity where tenant_id = $1`,
    [tenant],
  )
  for (const { id } of rows) await endProviderSessions(accounts, { connectionId: id })
}

/** Deletes sessions that are over; returns how many. */
export async function forgetSessions(idp: pg.Pool): Promise<number> {
  return deleteSessions(idp, 'not exists (select from idp.open_session where id = grant_id)')
}

/**
 * Deletes sessions with all that belongs to them, in one statement: a grant that stayed without its row would be open
 * again, and its refresh token would work.
 */
async function deleteSessions(idp: Accounts, condition: string, values: unknown[] = []): Promise<number> {
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
