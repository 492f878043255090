import type { Kysely } from 'kysely'
import { sql } from 'kysely'

/** Whether the place of a device was only laid out on a plan, and nobody has confirmed it yet. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table device add column is_roughly_placed boolean not null default false`.execute(db)
}
