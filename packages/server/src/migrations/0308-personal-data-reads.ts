import type { Kysely } from 'kysely'
import { sql } from 'kysely'
import { tenantTable } from './tenant-table.ts'

/** Who looked at the personal data of homes, and members whom a manager views the portal as. */
export async function up(db: Kysely<unknown>): Promise<void> {
  const run = (text: string) => sql.raw(text).execute(db)
  // The application role cannot change it: the owner writes and deletes.
  await tenantTable(db, {
    name: 'personal_data_read',
    columns: `id uuid not null,
      person_id uuid not null,
      -- Name and role at that time. Staff of the vendor who are no members have no role here.
      person_name text not null,
      role text,
      is_key boolean not null,
      viewing_as text,
      -- The page, list or file.
      page text not null,
      kind text not null,
      -- Only of files and long lists, of which the ids are not kept.
      question text,
      property_ids uuid[] not null,
      resident_ids text[] not null,
      -- Null where it is not known: of some files.
      row_count integer,
      caller text not null,
      first_at timestamptz not null,
      last_at timestamptz not null,
      times integer not null,
      -- Equal for the same read of the same person.
      fingerprint text not null,
      primary key (tenant_id, id)`,
    grants: 'select',
  })
  await run('create index personal_data_read_person on personal_data_read (tenant_id, person_id, first_at)')
  await run('create index personal_data_read_last on personal_data_read (tenant_id, last_at)')
  await run('create index personal_data_read_shown on personal_data_read using gin (property_ids, resident_ids)')

  await tenantTable(db, {
    name: 'viewing',
    columns: `id uuid not null,
      person_id uuid not null,
      person_name text not null,
      -- The session of the embedded provider in which it began; null with other providers.
      session_id text,
      membership_id uuid not null,
      -- The rights of the member when it began: any difference ends it.
      rights text not null,
      began_at timestamptz not null,
      ends_at timestamptz not null,
      primary key (tenant_id, id)`,
    foreignKeys: ['foreign key (tenant_id, membership_id) references membership (tenant_id, id) on delete cascade'],
  })
  await run('create index viewing_person on viewing (tenant_id, person_id)')
}
