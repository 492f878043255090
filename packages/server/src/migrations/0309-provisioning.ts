import type { Kysely } from 'kysely'
import { sql } from 'kysely'
import { tenantTable } from './tenant-table.ts'

/** The access that groups of a client's directory give, and the users and groups that the directory provisions (SCIM). */
export async function up(db: Kysely<unknown>): Promise<void> {
  const run = (text: string) => sql.raw(text).execute(db)

  await tenantTable(db, {
    name: 'group_access',
    columns: `id uuid not null,
      group_name text not null,
      role text not null,
      tag_ids uuid[] not null default '{}',
      position integer not null,
      primary key (tenant_id, id)`,
  })

  await tenantTable(db, {
    name: 'scim_key',
    columns: `id uuid not null,
      key_hash bytea not null,
      created_at timestamptz not null,
      created_by text not null,
      revoked_at timestamptz,
      last_used_at timestamptz,
      primary key (tenant_id, id),
      unique (tenant_id, key_hash)`,
  })

  await tenantTable(db, {
    name: 'scim_user',
    columns: `id uuid not null,
      user_name text not null,
      compared_user_name text not null,
      external_id text,
      active boolean not null,
      name text not null,
      email text,
      attributes jsonb not null,
      membership_id uuid,
      no_access text,
      keeps_role boolean not null default false,
      blocked boolean not null default false,
      version integer not null default 1,
      created_at timestamptz not null,
      changed_at timestamptz not null,
      primary key (tenant_id, id),
      unique (tenant_id, compared_user_name)`,
  })
  await run('create index scim_user_external_id on scim_user (tenant_id, external_id)')
  await run('create index scim_user_email on scim_user (tenant_id, email)')
  await run('create index scim_user_no_access on scim_user (tenant_id, no_access)')
  await run('create index scim_user_membership on scim_user (tenant_id, membership_id) where membership_id is not null')
  await run('create index scim_user_order on scim_user (tenant_id, created_at, id)')

  await tenantTable(db, {
    name: 'scim_group',
    columns: `id uuid not null,
      display_name text not null,
      compared_name text not null,
      external_id text,
      version integer not null default 1,
      created_at timestamptz not null,
      changed_at timestamptz not null,
      primary key (tenant_id, id),
      unique (tenant_id, compared_name)`,
  })
  await run('create index scim_group_order on scim_group (tenant_id, created_at, id)')

  await tenantTable(db, {
    name: 'scim_group_member',
    columns: `group_id uuid not null,
      user_id uuid not null,
      primary key (tenant_id, group_id, user_id)`,
    foreignKeys: [
      'foreign key (tenant_id, group_id) references scim_group (tenant_id, id) on delete cascade',
      'foreign key (tenant_id, user_id) references scim_user (tenant_id, id) on delete cascade',
    ],
  })
  await run('create index scim_group_member_user on scim_group_member (tenant_id, user_id)')
}
