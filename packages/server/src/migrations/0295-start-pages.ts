import type { Kysely } from 'kysely'
import { sql } from 'kysely'

/** The view that a user's next sign-in opens; null for the Dashboard. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql.raw('alter table membership add column start_view_id text').execute(db)
}
