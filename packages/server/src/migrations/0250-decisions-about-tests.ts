import type { Kysely } from 'kysely'
import { sql } from 'kysely'

/**
 * What people decided about the result of a test: none of it is taken away. And what a disputed test counts as until an
 * administrator has decided.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table emergency_test add column changes jsonb, add column disputed jsonb`.execute(db)
}
