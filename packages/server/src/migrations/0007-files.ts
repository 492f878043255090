import type { Kysely } from 'kysely'
import { sql } from 'kysely'
import { sharedTable, tenantTable } from './tenant-table.ts'

/** What people upload: the bytes lie in the file store, below the tenant and the id. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await tenantTable(db, {
    name: 'file',
    columns: `id uuid not null,
      -- The table whose rows refer to it, by a foreign key: a file that none refers to any more is deleted.
      referrer text not null,
      name text not null,
      content_type text not null,
      size bigint not null check (size >= 0),
      sha256 bytea not null check (length(sha256) = 32),
      created_at timestamptz not null,
      created_by uuid,
      primary key (tenant_id, id)`,
    foreignKeys: ['foreign key (created_by) references person (id)'],
    grants: 'select, insert, delete',
  })
  // Files of the store that no row of `file` stands for: written a moment ago, given up, or deleted. Written before the
  // file is, so that nothing lies in the store that is not known of.
  await sharedTable(
    db,
    'loose_file',
    `file_id uuid primary key,
     tenant_id text not null,
     due_at timestamptz not null`,
    'select, insert, update, delete',
    { local: true },
  )
  await sql`create index loose_file_due on loose_file (due_at)`.execute(db)
}
