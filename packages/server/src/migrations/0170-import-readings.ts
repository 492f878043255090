import type { Kysely } from 'kysely'
import { tenantTable } from './tenant-table.ts'

/** How somebody has said that lists with these headings are read, so that the list of the next month is read so of itself. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await tenantTable(db, {
    name: 'data_import_reading',
    columns: `-- SHA-256 of the headings: a row of them may be longer than an index holds.
      headings bytea not null,
      -- What each column fills.
      columns jsonb not null,
      building_from_name boolean not null,
      -- What the words of these columns mean.
      answers jsonb not null,
      used_at timestamptz not null,
      primary key (tenant_id, headings)`,
  })
}
