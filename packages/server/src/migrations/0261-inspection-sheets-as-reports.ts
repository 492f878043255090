import type { Kysely } from 'kysely'
import { sql } from 'kysely'

/** Of which buildings and days inspector's sheets are written as a report. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table report_run add column sheets jsonb`.execute(db)
}
