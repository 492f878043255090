import type { Kysely } from 'kysely'
import { sql } from 'kysely'

/** The id that a browser gives a repair, and each of its photographs, before it sends them: what is sent again is recorded once. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table repair_form add column request_id uuid`.execute(db)
  await sql`alter table repair_photo add column request_id uuid`.execute(db)
}
