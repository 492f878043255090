import type { Kysely } from 'kysely'
import { sql } from 'kysely'
import { sharedTable } from './tenant-table.ts'

/**
 * Removals of clients: how far one has come that was interrupted, and for good who removed which client when. Nothing of it is the
 * client's own, so its column is not called `tenant_id`: a removal deletes all rows that name the tenant there.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table tenant add column removal_began_at timestamptz`.execute(db)
  await sharedTable(
    db,
    'tenant_removal',
    `id uuid primary key,
     client text not null,
     client_name text not null,
     suspended_since timestamptz not null,
     began_at timestamptz not null,
     finished_at timestamptz,
     removed_by_whom text not null,
     rows_deleted bigint not null default 0,
     files_deleted bigint not null default 0,
     people_removed integer not null default 0,
     -- People and invited addresses of the client, of whom some are members nowhere else; emptied at the end.
     people uuid[] not null,
     invited text[] not null`,
    'select',
  )
}
