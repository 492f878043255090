import type { Kysely } from 'kysely'
import { sql } from 'kysely'

/** Of new readings the feed says from when to when they were measured, too: they may be older than what a page has seen. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table change add column spans bigint[]`.execute(db)
}
