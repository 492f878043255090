import type { Kysely } from 'kysely'
import { sql } from 'kysely'
import { tenantTable } from './tenant-table.ts'

/**
 * The feed of changes, and a device's row that heartbeats and states leave in its place: what had to be indexed to find
 * changed devices is read from the feed.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  const run = (text: string) => sql.raw(text).execute(db)
  // Transactions are numbered by the machine that has the table: where the database is spread it stays on the coordinator,
  // through which every transaction goes. No key to the tenant: each batch of readings writes a row.
  await tenantTable(db, {
    name: 'change',
    local: true,
    hot: true,
    columns: `position xid8 not null default pg_current_xact_id(),
      seq bigint generated always as identity,
      subject text not null,
      ids uuid[],
      audience uuid[],
      at timestamptz not null default clock_timestamp(),
      -- No transaction before this one was still running when the row was written.
      oldest xid8 not null default pg_snapshot_xmin(pg_current_snapshot()),
      primary key (tenant_id, position, seq)`,
    grants: 'select, insert, delete',
  })
  // Ids are chance and cannot be compressed.
  await run('alter table change alter column ids set storage external')
  await run('drop index device_updated')
  // Room for a second version of a row beside the first, so that a change of nothing indexed writes no index.
  await run('alter table device set (fillfactor = 85)')
}
