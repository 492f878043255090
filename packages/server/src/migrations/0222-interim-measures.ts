import type { Kysely } from 'kysely'
import { sql } from 'kysely'

/** What is done until a defect is put right: people say so, for the inspector's sheet. Beside the evidence, which later messages write anew. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table condition add column interim_measure jsonb`.execute(db)
}
