import type { Kysely } from 'kysely'
import { sql } from 'kysely'
import { tenantTable } from './tenant-table.ts'

/** Files that people keep of something, each with what is said of it: photographs of homes, and whatever kind comes next. */
export async function up(db: Kysely<unknown>): Promise<void> {
  const run = (text: string) => sql.raw(text).execute(db)
  await tenantTable(db, {
    name: 'document',
    columns: `id uuid not null,
      document_type text not null,
      -- The home that it is of, if of one.
      property_id uuid,
      location text,
      title text,
      note text,
      -- When the photograph was taken.
      happened_at timestamptz not null,
      file_id uuid not null,
      created_at timestamptz not null,
      created_by uuid,
      created_by_name text not null,
      primary key (tenant_id, id)`,
    foreignKeys: [
      'foreign key (tenant_id, property_id) references property (tenant_id, id) on delete cascade',
      'foreign key (tenant_id, file_id) references file (tenant_id, id)',
    ],
  })
  await run('create index document_property on document (tenant_id, property_id, happened_at desc)')
  await run('create index document_file on document (tenant_id, file_id)')
  // The same photograph is not kept twice of a home, however often somebody presses.
  await run(`create unique index document_photograph on document (tenant_id, property_id, file_id)
    where document_type = 'PropertyRecords'`)
}
