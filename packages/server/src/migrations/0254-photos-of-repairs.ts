import type { Kysely } from 'kysely'
import { sql } from 'kysely'
import { tenantTable } from './tenant-table.ts'

/** Photographs of what was repaired, up to six of each repair. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await tenantTable(db, {
    name: 'repair_photo',
    columns: `id uuid not null,
      repair_id uuid not null,
      file_id uuid not null,
      name text not null,
      added_at timestamptz not null,
      primary key (tenant_id, id)`,
    foreignKeys: [
      'foreign key (tenant_id, repair_id) references repair_form (tenant_id, id) on delete cascade',
      'foreign key (tenant_id, file_id) references file (tenant_id, id)',
    ],
    grants: 'select, insert, delete',
  })
  await sql`create index repair_photo_repair on repair_photo (tenant_id, repair_id, added_at)`.execute(db)
  await sql`create index repair_photo_file on repair_photo (tenant_id, file_id)`.execute(db)
}
