import type { Kysely } from 'kysely'
import { sql } from 'kysely'

/**
 * Homes that a list made void asked nothing of their devices where no other home of the client was void: each client is looked at,
 * and those without a void home are let go.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    insert into due (work, tenant_id, due_at)
    select 'void mode', id, 'epoch' from tenant on conflict do nothing`.execute(db)
}
