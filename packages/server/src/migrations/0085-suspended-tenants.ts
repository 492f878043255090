import type { Kysely } from 'kysely'
import { sql } from 'kysely'

/** Since when a client is closed to its people, and what they are told; null while it is open. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table tenant add column suspended_at timestamptz, add column suspended_reason text`.execute(db)
}
