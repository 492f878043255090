import type { Kysely } from 'kysely'
import { sql } from 'kysely'

/**
 * The sessions that an external broker keeps for ingest processes, by number: what the broker holds for one that was
 * killed is fetched by another. Local to the coordinator where the database is spread, as the locks are that it goes with.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`create table mqtt_session (number integer primary key)`.execute(db)
}
