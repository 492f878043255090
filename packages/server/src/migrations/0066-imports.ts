import type { Kysely } from 'kysely'
import { sql } from 'kysely'
import { tenantTable } from './tenant-table.ts'

const ofList = ['foreign key (tenant_id, import_id) references data_import (tenant_id, id) on delete cascade']

/**
 * Files of homes, buildings and devices that are brought in: the file itself until it is in, what was found in it, each thing
 * that is made or changed with what stood there before, and each cell that is not taken.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await tenantTable(db, {
    name: 'data_import',
    columns: `id uuid not null,
      name text not null,
      state text not null,
      -- Goes when everything is in: it tells of homes what nobody asked to keep.
      content bytea,
      -- How the file is to be read: corrections, and what its words mean.
      wishes jsonb not null,
      -- How often that was said, so that a plan of an earlier wish is none.
      revision integer not null default 1,
      found jsonb,
      fault text,
      -- Things to make and change, and what came of them.
      total integer not null default 0,
      done integer not null default 0,
      refused integer not null default 0,
      undone integer not null default 0,
      kept integer not null default 0,
      created_at timestamptz not null,
      finished_at timestamptz,
      -- Null where an operator did it.
      person_id uuid,
      person_name text not null,
      primary key (tenant_id, id)`,
  })
  await sql`create index data_import_created on data_import (tenant_id, created_at desc)`.execute(db)
  await tenantTable(db, {
    name: 'data_import_item',
    columns: `import_id uuid not null,
      number integer not null,
      kind text not null,
      key text not null,
      name text not null,
      sheet text not null,
      row_number integer not null,
      action text not null,
      target_id uuid,
      values jsonb not null,
      old_values jsonb not null,
      state text not null,
      reason text,
      primary key (tenant_id, import_id, number)`,
    foreignKeys: ofList,
  })
  await sql`create index data_import_item_state on data_import_item (tenant_id, import_id, state, number)`.execute(db)
  await tenantTable(db, {
    name: 'data_import_cell',
    columns: `import_id uuid not null,
      number integer not null,
      sheet text not null,
      row_number integer not null,
      column_letters text not null,
      header text not null,
      value text not null,
      reason text not null,
      message text not null,
      effect text not null,
      offer text,
      primary key (tenant_id, import_id, number)`,
    foreignKeys: ofList,
  })
}
