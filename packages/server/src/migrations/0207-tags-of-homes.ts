import type { Kysely } from 'kysely'
import { sql } from 'kysely'
import { tenantTable } from './tenant-table.ts'

/**
 * Which tags the devices of a home carry, kept as one value of the home: homes whose devices are tagged alike have the same, and what
 * it stands for is written once. A job keeps it; until then, and where something has changed since, the devices themselves are asked.
 * Statuses are kept likewise, for people who see only some of the devices.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table property add column tag_set uuid`.execute(db)
  await tenantTable(db, {
    name: 'tag_set',
    columns: `
      id uuid not null,
      tag_id uuid not null,
      product text not null,
      access_rights_tag_id uuid,
      unique nulls not distinct (tenant_id, id, tag_id, product, access_rights_tag_id)`,
  })
  await sql`create index tag_set_tag on tag_set (tenant_id, tag_id) include (id, product, access_rights_tag_id)`.execute(
    db,
  )
  // Without a foreign key: its check would wait for whoever holds the home, while the caller holds devices.
  await tenantTable(db, { name: 'property_retagged', columns: 'property_id uuid not null' })
  await sql`create index property_retagged_property on property_retagged (tenant_id, property_id)`.execute(db)
  // The same of statuses: which of its devices' somebody sees depends on product and access rights tag.
  await sql`alter table property add column status_set uuid`.execute(db)
  await tenantTable(db, {
    name: 'status_set',
    columns: `
      id uuid not null,
      place integer not null,
      product text not null,
      access_rights_tag_id uuid,
      status text not null,
      severity smallint not null,
      primary key (tenant_id, id, place)`,
  })
  // The day after, all are looked at: the version before, which may still run for a while, does not say what it changes.
  await sql`
    insert into due (work, tenant_id, due_at) select 'settle homes', id, 'epoch'::timestamptz from tenant
    union all select 'look at tags of homes', id, now() + interval '1 day' from tenant
    on conflict do nothing`.execute(db)
}
