import type { Kysely } from 'kysely'
import { sql } from 'kysely'
import { sharedTable } from './tenant-table.ts'

/** Processes that work, by the numbers under which they claim, so that what one had claimed that died need not wait. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sharedTable(db, 'claimant', 'number integer primary key, since timestamptz not null', 'select', { local: true })
  for (const table of ['mail_outbox', 'webhook_delivery', 'report_run', 'tenant_export'])
    await sql`alter table ${sql.table(table)} add column claimant integer`.execute(db)
}
