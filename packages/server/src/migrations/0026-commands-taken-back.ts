import type { Kysely } from 'kysely'
import { sql } from 'kysely'

/**
 * A command can be taken back by somebody: before it was sent it is withdrawn, of one that came to nothing it is no longer
 * wanted. And a device may answer one that has ended without it, which is kept to be told.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table command
    add column taken_back_at timestamptz,
    add column taken_back_by uuid,
    add column late_answer text`.execute(db)
  await sql`alter table command add foreign key (taken_back_by) references person (id)`.execute(db)
}
