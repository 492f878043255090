import type { Kysely } from 'kysely'
import { sql } from 'kysely'
import { sharedTable, tenantTable } from './tenant-table.ts'

/** Clients, what they have switched on, their tags and what is kept of their exports and removals. */
export async function createTenants(db: Kysely<unknown>): Promise<void> {
  const run = (text: string) => sql.raw(text).execute(db)

  await sharedTable(
    db,
    'tenant',
    `id text not null,
      display_name text not null,
      contacts text not null default '',
      time_zone text not null default 'Europe/London',
      settings jsonb not null default '{}',
      created_at timestamptz not null default now(),
      suspended_at timestamptz,
      suspended_reason text,
      removal_began_at timestamptz,
      check (id ~ '^[a-z0-9][a-z0-9-]{0,39}$'),
      primary key (id)`,
    'select, insert, update',
  )

  await tenantTable(db, {
    name: 'tenant_feature',
    columns: `feature text not null,
      primary key (tenant_id, feature)`,
    grants: 'select',
  })

  await tenantTable(db, {
    name: 'tenant_capability',
    columns: `capability text not null,
      primary key (tenant_id, capability)`,
    grants: 'select',
  })

  await sharedTable(
    db,
    'tenant_removal',
    `id uuid not null,
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
      invited text[] not null,
      primary key (id)`,
    'select',
  )

  // Readings of devices that were uninstalled. A device may have too many to delete while somebody waits: their series is
  // taken away at once, so that nobody sees them any more, and a job deletes them.
  await tenantTable(db, {
    name: 'erasure',
    columns: `series_id bigint not null,
      asked_at timestamptz not null default now(),
      erased_at timestamptz,
      primary key (tenant_id, series_id)`,
  })

  await tenantTable(db, {
    name: 'access_rights_tag',
    columns: `id uuid not null,
      display_name text not null,
      protected boolean not null default false,
      primary key (tenant_id, id)`,
  })
  await run('create unique index access_rights_tag_name on access_rights_tag (tenant_id, lower(display_name))')

  await tenantTable(db, {
    name: 'tag',
    columns: `id uuid not null,
      name text not null,
      primary key (tenant_id, id)`,
  })
  await run('create unique index tag_name on tag (tenant_id, lower(name))')

  await sharedTable(
    db,
    'client_error',
    `id uuid not null default gen_random_uuid(),
      at timestamptz not null default now(),
      tenant_id text,
      person_id uuid,
      message text not null,
      stack text not null,
      component_stack text not null,
      primary key (id)`,
    'insert',
    { local: true },
  )
}
