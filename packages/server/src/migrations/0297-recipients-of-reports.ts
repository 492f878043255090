import type { Kysely } from 'kysely'
import { sql } from 'kysely'

/** Members besides its owner to whom a schedule sends its report, each by their own rights. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table report_schedule add column recipient_ids uuid[] not null default '{}'`.execute(db)
}
