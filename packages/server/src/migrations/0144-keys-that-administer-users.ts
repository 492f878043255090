import type { Kysely } from 'kysely'
import { sql } from 'kysely'

/** A key administers users only where whoever makes it says so: until now none could. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table api_key add column administers_users boolean not null default false`.execute(db)
}
