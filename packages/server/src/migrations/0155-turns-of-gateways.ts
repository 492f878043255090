import type { Kysely } from 'kysely'
import { sql } from 'kysely'

/**
 * A light of a run knows the gateway that tells it to begin, whatever stands between: of two groups behind one the second waits for
 * the first. None where it speaks for itself.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table test_run_light add column gateway_id uuid`.execute(db)
}
