import type { Kysely } from 'kysely'
import { sql } from 'kysely'

/** The tables of the embedded identity provider, in a schema that only its own role reaches. */
export async function createIdentity(db: Kysely<unknown>): Promise<void> {
  const run = (text: string) => sql.raw(text).execute(db)

  await run('create schema idp')
  await run('grant usage on schema idp to caretaker_idp')

  await run(`create table idp.account (
      id uuid not null,
      email text not null,
      name text not null,
      picture_url text,
      password_hash text,
      email_verified boolean not null default false,
      created_at timestamptz not null default now(),
      unique (email),
      primary key (id))`)
  await run('grant select, insert, update, delete on idp.account to caretaker_idp')

  // Failed sign-ins of the last minutes, by e-mail and by address: shared by all processes.
  await run(`create table idp.failed_attempt (
      key text not null,
      at timestamptz not null default now())`)
  await run('grant select, insert, update, delete on idp.failed_attempt to caretaker_idp')
  await run('create index failed_attempt_key on idp.failed_attempt (key, at)')

  await run(`create table idp.payload (
      model text not null,
      id text not null,
      payload jsonb not null,
      grant_id text,
      uid text,
      user_code text,
      consumed_at timestamptz,
      expires_at timestamptz,
      primary key (model, id))`)
  await run('grant select, insert, update, delete on idp.payload to caretaker_idp')
  await run('create index payload_expiry on idp.payload (expires_at)')
  await run('create index payload_grant on idp.payload (grant_id) where grant_id is not null')
  await run('create index payload_uid on idp.payload (uid) where uid is not null')

  await run(`create table idp.secret (
      name text not null,
      value jsonb not null,
      primary key (name))`)
  await run('grant select, insert, update, delete on idp.secret to caretaker_idp')

  // Which sessions are open is all that the application may know of them.
  await run(`create view idp.open_session as
    select id from idp.payload where model = 'Grant' and (expires_at is null or expires_at > now())`)
  await run('grant usage on schema idp to caretaker_app')
  await run('grant select on idp.open_session to caretaker_app')
}
