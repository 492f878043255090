import type { Kysely } from 'kysely'
import { sql } from 'kysely'

/** Whether a light is maintained, and where its key switch is: people say so, for the inspector's sheet. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table emergency_equipment add column operating_mode text, add column key_switch text`.execute(db)
}
