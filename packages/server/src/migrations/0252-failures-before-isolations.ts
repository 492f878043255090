import type { Kysely } from 'kysely'
import { sql } from 'kysely'

/** A failure outranks what was switched off on purpose: a job gives such devices the status that their open conditions come to. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`insert into due (work, tenant_id, due_at)
    select 'settle reasons', id, '1970-01-01' from tenant
    on conflict (work, tenant_id) do update set due_at = excluded.due_at`.execute(db)
}
