import type { Kysely } from 'kysely'
import { sql } from 'kysely'

/** `device_in_building` holds all that it held. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`drop index device_building`.execute(db)
}
