import type { Kysely } from 'kysely'
import { sql } from 'kysely'

/** Whether an export of a client holds every reading, or only what there is of each hour. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table tenant_export add column with_readings boolean not null default false`.execute(db)
}
