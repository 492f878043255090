import type { Kysely } from 'kysely'
import { sql } from 'kysely'

/** Lights that said long ago that their battery is not full are looked at as well. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    insert into due (work, tenant_id, due_at) select 'watch charge', id, timestamptz 'epoch' from tenant
    on conflict do nothing`.execute(db)
}
