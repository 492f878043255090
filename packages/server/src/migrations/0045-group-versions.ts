import type { Kysely } from 'kysely'
import { sql } from 'kysely'

/** Groups know how often they were changed, for two people who change one, and until when their tests are written down. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table light_group
    add column version integer not null default 1,
    add column planned_until timestamptz`.execute(db)
}
