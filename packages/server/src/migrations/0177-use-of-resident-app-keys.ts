import type { Kysely } from 'kysely'
import { sql } from 'kysely'

/** When a key of the resident app was last used, so that one that nobody uses any more is found. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table resident_app_key add column last_used_at timestamptz`.execute(db)
}
