import type { Kysely } from 'kysely'
import { sql } from 'kysely'
import { tenantTable } from './tenant-table.ts'

const ofDevice = ['foreign key (tenant_id, device_id) references device (tenant_id, id) on delete cascade']

/** What people write into a device's file: the repairs that were recorded, by whichever form, and notes. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await tenantTable(db, {
    name: 'repair_form',
    columns: `id uuid not null,
      device_id uuid not null,
      at timestamptz not null,
      part text not null,
      parts jsonb not null,
      description text not null,
      repaired_by text not null,
      -- A day as YYYY-MM-DD, in the tenant's zone.
      repaired_on text not null,
      person_id uuid,
      person_name text not null,
      primary key (tenant_id, id)`,
    foreignKeys: ofDevice,
    grants: 'select, insert, delete',
  })
  await sql`create index repair_form_device on repair_form (tenant_id, device_id, at desc)`.execute(db)
  await sql`create index repair_form_at on repair_form (tenant_id, at desc)`.execute(db)
  await tenantTable(db, {
    name: 'device_note',
    columns: `id uuid not null,
      device_id uuid not null,
      at timestamptz not null,
      note text not null,
      person_id uuid,
      person_name text not null,
      primary key (tenant_id, id)`,
    foreignKeys: ofDevice,
    grants: 'select, insert, delete',
  })
  await sql`create index device_note_device on device_note (tenant_id, device_id, at desc)`.execute(db)
}
