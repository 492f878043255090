import type { Kysely } from 'kysely'
import { sql } from 'kysely'

/** A run may repeat a yearly test that some of its lights missed: it names that run, and is of those lights alone. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table test_run add column repeats uuid`.execute(db)
}
