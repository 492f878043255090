import type { Kysely } from 'kysely'
import { sql } from 'kysely'

/**
 * Each wrong part of a message with its path, and whether the rest of the message is stored; and of a counter the readings that fell from
 * it, until the next ones show whether it began again.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql
    .raw(`alter table bad_message add column parts jsonb not null default '[]',
    add column is_partial boolean not null default false`)
    .execute(db)
  await sql.raw('alter table series add column held jsonb').execute(db)
}
