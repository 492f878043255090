import type { Kysely } from 'kysely'
import { sql } from 'kysely'

/** The Unique Property Reference Number of a home, by which lists know it whatever its landlord calls it. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table property add column uprn text`.execute(db)
}
