import type { Kysely } from 'kysely'
import { tenantTable } from './tenant-table.ts'

/** Files of everything that a tenant has, which the vendor's staff had written. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await tenantTable(db, {
    name: 'tenant_export',
    columns: `id uuid not null,
      person_id uuid not null,
      person_name text not null,
      state text not null,
      -- Until then somebody is at work on it.
      claimed_until timestamptz,
      attempts integer not null default 0,
      rows_written bigint not null default 0,
      -- Which part of it is being written.
      part text,
      fault text,
      file_id uuid,
      file_name text,
      size bigint,
      asked_at timestamptz not null,
      finished_at timestamptz,
      primary key (tenant_id, id)`,
    foreignKeys: [
      'foreign key (person_id) references person (id)',
      'foreign key (tenant_id, file_id) references file (tenant_id, id)',
    ],
  })
}
