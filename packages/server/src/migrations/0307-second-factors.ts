import type { Kysely } from 'kysely'
import { sql } from 'kysely'

/**
 * Second factors of the embedded provider's accounts, and the browsers that are signed in. Sessions from before have no row of their
 * own: they stay open until they expire, and the version before runs beside this one without knowing of the new tables.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  const run = (text: string) => sql.raw(text).execute(db)
  await run(`create table idp.passkey (
      -- The credential id, base64url.
      id text not null,
      account_id uuid not null references idp.account on delete cascade,
      name text not null,
      public_key bytea not null,
      sign_count bigint not null,
      transports text[] not null,
      created_at timestamptz not null default now(),
      last_used_at timestamptz,
      primary key (id))`)
  await run('create index passkey_account on idp.passkey (account_id)')
  await run(`create table idp.authenticator_app (
      account_id uuid not null references idp.account on delete cascade,
      -- Encrypted with the key of the installation.
      secret text not null,
      -- The time step of the newest code that was accepted: no code is accepted twice.
      last_step bigint not null,
      created_at timestamptz not null default now(),
      primary key (account_id))`)
  await run(`create table idp.recovery_code (
      account_id uuid not null references idp.account on delete cascade,
      code_hash text not null,
      used_at timestamptz,
      primary key (account_id, code_hash))`)
  // Browsers that were remembered before the factors changed have to give one again.
  await run('alter table idp.account add column factors_changed_at timestamptz')
  await run(`create table idp.browser_session (
      grant_id text not null,
      account_id uuid not null references idp.account on delete cascade,
      user_agent text not null,
      network text not null,
      signed_in_at timestamptz not null,
      authenticated_at timestamptz not null,
      last_used_at timestamptz not null default now(),
      idle_ends_at timestamptz not null,
      ends_at timestamptz not null,
      primary key (grant_id))`)
  await run('create index browser_session_account on idp.browser_session (account_id)')
  await run('grant select on idp.open_session to caretaker_idp')
  for (const table of ['passkey', 'authenticator_app', 'recovery_code', 'browser_session'])
    await run(`grant select, insert, update, delete on idp.${table} to caretaker_idp`)
  // When the person of a session last proved who they are is asked at calls that need a recent sign-in.
  await run(`create or replace view idp.open_session as
    select payload.id, browser_session.authenticated_at
    from idp.payload left join idp.browser_session on browser_session.grant_id = payload.id
    where model = 'Grant' and (expires_at is null or expires_at > now())
      and coalesce(least(idle_ends_at, ends_at) > now(), true)`)
}
