import type { Kysely } from 'kysely'
import { sql } from 'kysely'

/** What a bulk action gives besides tags, and what each of its items had before. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table bulk_action add column settings jsonb`.execute(db)
  await sql`alter table bulk_item add column had_before jsonb`.execute(db)
}
