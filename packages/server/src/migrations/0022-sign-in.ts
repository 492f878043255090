import type { Kysely } from 'kysely'
import { sql } from 'kysely'
import { applicationRole, sharedTable } from './tenant-table.ts'

/**
 * How often something was tried lately, shared by all processes: it takes the place of idp.failed_attempt, which the version
 * before still writes. When somebody lost their last client. And the sessions that are open at the identity provider, which
 * every call asks about: the application's role sees their ids and nothing else of the provider's.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  const run = (text: string) => sql.raw(text).execute(db)
  await sharedTable(
    db,
    'throttle',
    'key text primary key, count integer not null, since timestamptz not null',
    'select, insert, update, delete',
    { local: true },
  )
  await run('create index throttle_since on throttle (since)')
  await run('alter table person add column removed_at timestamptz')
  await run(`create view idp.open_session as
    select id from idp.payload where model = 'Grant' and (expires_at is null or expires_at > now())`)
  await run(`grant usage on schema idp to ${applicationRole}`)
  await run(`grant select on idp.open_session to ${applicationRole}`)
}
