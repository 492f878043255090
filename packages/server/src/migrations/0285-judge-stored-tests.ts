import type { Kysely } from 'kysely'
import { sql } from 'kysely'

/** The results of tests that earlier versions stored by the light's own report are checked against their evidence, in all clients. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    insert into due (work, tenant_id, due_at) select 'judge stored tests', id, timestamptz 'epoch' from tenant
    on conflict do nothing`.execute(db)
}
