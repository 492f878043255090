import type { Kysely } from 'kysely'
import { tenantTable } from './tenant-table.ts'

/** Keys by which other software calls in a client's name, each with a person of its own in whose name everything is recorded. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await tenantTable(db, {
    name: 'api_key',
    columns: `id uuid not null,
      person_id uuid not null,
      name text not null,
      key_hash bytea not null,
      role text not null,
      tag_ids uuid[] not null,
      created_at timestamptz not null,
      created_by text not null,
      expires_at timestamptz not null,
      revoked_at timestamptz,
      last_used_at timestamptz,
      primary key (tenant_id, id),
      unique (tenant_id, person_id),
      unique (tenant_id, key_hash)`,
    foreignKeys: ['foreign key (person_id) references person (id)'],
  })
}
