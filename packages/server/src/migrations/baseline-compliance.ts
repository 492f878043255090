import type { Kysely } from 'kysely'
import { sql } from 'kysely'
import { tenantTable } from './tenant-table.ts'

/** Compliance records with their attachments, and documents. */
export async function createCompliance(db: Kysely<unknown>): Promise<void> {
  const run = (text: string) => sql.raw(text).execute(db)

  await tenantTable(db, {
    name: 'compliance_record',
    columns: `id uuid not null,
      device_id uuid,
      type text not null,
      serial_number text not null,
      recorded_at timestamptz not null,
      status text not null,
      test_kit text,
      is_draft boolean not null,
      created_at timestamptz not null,
      created_by uuid,
      appliance_id uuid,
      withdrawn_at timestamptz,
      withdrawn_by uuid,
      withdrawn_by_name text,
      withdrawn_reason text,
      -- The record of another home with the same certificate, where a person said that it covers both.
      shared_with uuid,
      primary key (tenant_id, id)`,
    foreignKeys: ['foreign key (tenant_id, device_id) references device (tenant_id, id) on delete cascade'],
  })
  await run(`create index compliance_record_appliance on compliance_record (tenant_id, appliance_id)
    where appliance_id is not null`)
  await run(`create unique index compliance_record_counted_once on compliance_record (tenant_id, device_id, type, lower(serial_number),
  recorded_at)
    where ((not is_draft) and (withdrawn_at is null))`)
  await run('create index compliance_record_device on compliance_record (tenant_id, device_id, recorded_at desc)')
  await run('create index compliance_record_draft on compliance_record (tenant_id, created_at) where is_draft')
  await run(`create index compliance_record_number on compliance_record (tenant_id, type, lower(serial_number))
    where (not is_draft)`)

  await tenantTable(db, {
    name: 'compliance_attachment',
    columns: `id uuid not null,
      record_id uuid not null,
      file_id uuid not null,
      name text not null,
      primary key (tenant_id, id)`,
    foreignKeys: [
      'foreign key (tenant_id, file_id) references file (tenant_id, id)',
      'foreign key (tenant_id, record_id) references compliance_record (tenant_id, id) on delete cascade',
    ],
  })
  await run('create index compliance_attachment_file on compliance_attachment (tenant_id, file_id)')
  await run('create unique index compliance_attachment_record on compliance_attachment (tenant_id, record_id)')

  // Files that people keep of something, each with what is said of it: photographs of homes, and whatever kind comes next.
  await tenantTable(db, {
    name: 'document',
    columns: `id uuid not null,
      document_type text not null,
      -- The home that it is of, if of one.
      property_id uuid,
      location text,
      title text,
      note text,
      -- When the photograph was taken.
      happened_at timestamptz not null,
      file_id uuid not null,
      created_at timestamptz not null,
      created_by uuid,
      created_by_name text not null,
      primary key (tenant_id, id)`,
    foreignKeys: [
      'foreign key (tenant_id, file_id) references file (tenant_id, id)',
      'foreign key (tenant_id, property_id) references property (tenant_id, id) on delete cascade',
    ],
  })
  await run('create index document_file on document (tenant_id, file_id)')
  // The same photograph is not kept twice of a home, however often somebody presses.
  await run(`create unique index document_photograph on document (tenant_id, property_id, file_id)
    where document_type = 'PropertyRecords'`)
  await run('create index document_property on document (tenant_id, property_id, happened_at desc)')
}
