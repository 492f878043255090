import type { Kysely } from 'kysely'
import { sql } from 'kysely'

/** What a list changed of a home besides the fields that it says: needed to take it back. Lists of before have none. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table data_import_item add column besides jsonb`.execute(db)
}
