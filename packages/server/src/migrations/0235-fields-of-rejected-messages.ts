import type { Kysely } from 'kysely'
import { sql } from 'kysely'

/** The page of a device names the field for which its newest message of a reason was rejected. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table refused_message add column field text`.execute(db)
}
