import type { Kysely } from 'kysely'
import { sql } from 'kysely'

/** What a log book says of the emergency lighting of a building as a whole: people say so, for the inspector's sheet. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table building add column responsible_person text, add column completion_certificate text,
    add column central_battery text`.execute(db)
}
