import type { Kysely } from 'kysely'
import { sql } from 'kysely'

/**
 * For how long a lamp was lit in a test, and the start of a test by a clock that was wrong. All clients' lights are looked at for overdue tests and for
 * states that they reported before these were recorded as conditions.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table emergency_test add column lit jsonb, add column reported_start_at timestamptz`.execute(db)
  await sql`
    insert into due (work, tenant_id, due_at) select 'watch lights', id, timestamptz 'epoch' from tenant
    on conflict do nothing`.execute(db)
}
