import type { Kysely } from 'kysely'
import { sql } from 'kysely'
import { applicationRole, tenantTable } from './tenant-table.ts'

/**
 * Gas safety and water treatment records of boilers with their certificates, and on each device what they come to, which
 * listings go by. Nothing is filled in: there are no records yet.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  const run = (text: string) => sql.raw(text).execute(db)
  await tenantTable(db, {
    name: 'compliance_record',
    columns: `id uuid not null,
      device_id uuid not null,
      type text not null,
      serial_number text not null,
      recorded_at timestamptz not null,
      status text not null,
      test_kit text,
      is_draft boolean not null,
      created_at timestamptz not null,
      created_by uuid,
      primary key (tenant_id, id)`,
    foreignKeys: ['foreign key (tenant_id, device_id) references device (tenant_id, id) on delete cascade'],
  })
  await run('create index compliance_record_device on compliance_record (tenant_id, device_id, recorded_at desc)')
  await run('create index compliance_record_draft on compliance_record (tenant_id, created_at) where is_draft')
  // The same certificate is not recorded twice, however often somebody presses.
  await run(`create unique index compliance_record_once on compliance_record
    (tenant_id, device_id, type, lower(serial_number), recorded_at) where not is_draft`)
  await tenantTable(db, {
    name: 'compliance_attachment',
    columns: `id uuid not null,
      record_id uuid not null,
      file_id uuid not null,
      name text not null,
      primary key (tenant_id, id)`,
    foreignKeys: [
      'foreign key (tenant_id, record_id) references compliance_record (tenant_id, id) on delete cascade',
      'foreign key (tenant_id, file_id) references file (tenant_id, id)',
    ],
  })
  await run('create unique index compliance_attachment_record on compliance_attachment (tenant_id, record_id)')
  await run('create index compliance_attachment_file on compliance_attachment (tenant_id, file_id)')
  await run(`alter table device
    add column gas_due_at timestamptz, add column gas_state text,
    add column water_due_at timestamptz, add column water_state text`)
  // What a referrer's tenant has is stored once. Nothing has referred to files before.
  await run('create unique index file_content on file (tenant_id, referrer, sha256)')
  await run(`grant update (created_at) on file to ${applicationRole}`)
}
