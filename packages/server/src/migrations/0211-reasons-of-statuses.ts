import type { Kysely } from 'kysely'
import { sql } from 'kysely'

/**
 * Why a device has its status, which lists can be filtered and sorted by. Its copy in lower case is written beside it: one that the database
 * keeps would write the whole table anew. A job fills both for the devices that are there.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table device add column status_reason text, add column status_reason_folded text`.execute(db)
  await sql`insert into due (work, tenant_id, due_at)
    select 'settle reasons', id, '1970-01-01' from tenant on conflict do nothing`.execute(db)
}
