import type { Kysely } from 'kysely'
import { sql } from 'kysely'
import { tenantTable } from './tenant-table.ts'

/** Residents as their app knows them, the homes that they asked to see, what is written for them, and the keys of their app. */
export async function up(db: Kysely<unknown>): Promise<void> {
  const run = (text: string) => sql.raw(text).execute(db)
  await tenantTable(db, {
    name: 'resident',
    columns: `id uuid not null,
      -- How the identity provider of the resident app names them.
      app_user_id text not null,
      email text not null,
      name text not null,
      created_at timestamptz not null,
      primary key (tenant_id, id),
      unique (tenant_id, app_user_id)`,
  })
  await tenantTable(db, {
    name: 'residence_access',
    columns: `resident_id uuid not null,
      property_id uuid not null,
      is_approved boolean not null default false,
      -- Since when it is approved, or waits.
      since timestamptz not null,
      primary key (tenant_id, resident_id, property_id)`,
    foreignKeys: [
      'foreign key (tenant_id, resident_id) references resident (tenant_id, id) on delete cascade',
      'foreign key (tenant_id, property_id) references property (tenant_id, id) on delete cascade',
    ],
  })
  await run('create index residence_access_property on residence_access (tenant_id, property_id)')
  await tenantTable(db, {
    name: 'savings_and_tips',
    columns: `id uuid not null,
      resident_id uuid not null,
      name text not null,
      -- Markdown.
      content text not null,
      updated_at timestamptz not null,
      primary key (tenant_id, id),
      unique (tenant_id, resident_id)`,
    foreignKeys: ['foreign key (tenant_id, resident_id) references resident (tenant_id, id) on delete cascade'],
  })
  await tenantTable(db, {
    name: 'resident_app_key',
    columns: `id uuid not null,
      key_hash bytea not null,
      created_at timestamptz not null,
      revoked_at timestamptz,
      primary key (tenant_id, id)`,
  })
}
