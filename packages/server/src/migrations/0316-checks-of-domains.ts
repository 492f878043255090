import type { Kysely } from 'kysely'
import { sql } from 'kysely'

/** The records of verified domains are checked daily, except where an operator has verified the domain. */
export async function up(db: Kysely<unknown>): Promise<void> {
  const run = (text: string) => sql.raw(text).execute(db)
  await run(`alter table sso_domain add column verified_by_operator boolean not null default false,
    add column fault text,
    add column missing_since timestamptz,
    add column next_check_at timestamptz`)
  // A check that finds the record verifies the domain in the same instant.
  await run(`update sso_domain set verified_by_operator = true
    where verified_at is not null and (checked_at is null or checked_at < verified_at)`)
  await run(`insert into due (work, tenant_id, due_at)
    select distinct 'check domains', tenant_id, timestamptz '1970-01-01' from sso_domain where verified_at is not null
    on conflict do nothing`)
}
